// Caches the results of lasting conditions (those of rules) until the next commit: each node is tested once, for all requests.

import type { Predicate, Uid, Work } from "../../../core/storage.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";
import type { Clause, Test } from "./clause.ts";
import type { Reader } from "./reader.ts";
import { type Stream, streamOf } from "./stream.ts";

/** Bound of all conditions together, in bytes. */
const maxKeptBytes = 32 << 20;
/** The size of a condition, and of a node in a list, in bytes. */
const conditionBytes = 256;
const listedBytes = 8;
/** A computed list is cached up to this length. */
const maxKeptList = 10_000;
/** With fewer cached results than this, the records that a test reads are read together. */
const fewKnown = 1_024;

/** The estimates of a clause. */
type Facts = Pick<Clause, "estimate" | "listing" | "exactCount" | "covers" | "cost">;

/** One byte for each node, in pages: several nodes of one value are often in one page, although their uids are far apart. */
const pageNodes = 4_096;

function pageOf(uid: Uid): number {
  return uid < 0x7fff_ffff ? uid >> 12 : Math.floor(uid / pageNodes);
}

/** 0: not tested yet. */
const no = 1;
const yes = 2;

class CachedClause {
  facts: Facts;
  readonly records: boolean;
  readonly isListed: boolean;
  readonly isAmong: boolean;
  known = 0;
  list: readonly Uid[] | undefined;
  readonly #pages: (Uint8Array | undefined)[] = [];
  readonly #generation: CacheGeneration;

  constructor({ estimate, listing, exactCount, covers, records, stream, among }: Clause, generation: CacheGeneration) {
    this.facts = {
      estimate,
      cost: 1,
      ...(listing !== undefined && { listing }),
      ...(exactCount !== undefined && { exactCount }),
      ...(covers && { covers }),
    };
    this.records = records;
    this.isListed = stream !== undefined;
    this.isAmong = among !== undefined;
    this.#generation = generation;
    generation.bytes += conditionBytes;
  }

  keep(list: readonly Uid[]): void {
    const { listing, ...facts } = this.facts;
    this.list = list;
    this.#generation.bytes += list.length * listedBytes;
    this.facts = { ...facts, estimate: list.length, exactCount: list.length };
  }

  page(number: number): Uint8Array {
    let answers = this.#pages[number];
    if (answers === undefined) {
      answers = new Uint8Array(pageNodes);
      this.#pages[number] = answers;
      this.#generation.bytes += answers.length;
    }
    return answers;
  }
}

/** The cache of one commit. Readers of an older commit cache nothing; readers that began before a newer commit keep their own cache. */
class CacheGeneration {
  readonly at: number;
  readonly clauses = new Map<Predicate, CachedClause>();
  bytes = 0;

  constructor(at: number) {
    this.at = at;
  }
}

const generations = new WeakMap<LayoutRuntime, CacheGeneration>();

function generationFor({ view, schema }: Reader): CacheGeneration | undefined {
  // The writer sees writes that may be undone, and a check sees damage: neither is cached.
  if (view.at === Number.POSITIVE_INFINITY || view.damaged !== undefined) return undefined;
  const known = generations.get(schema);
  if (known !== undefined && known.at > view.at) return undefined;
  if (known !== undefined && known.at === view.at && known.bytes < maxKeptBytes) return known;
  const generation = new CacheGeneration(view.at);
  generations.set(schema, generation);
  return generation;
}

/** The clause that `compile` makes, served from the cache. It is compiled only for results that are missing. */
export function cachedClause(reader: Reader, predicate: Predicate, compile: () => Clause): Clause {
  const generation = generationFor(reader);
  if (generation === undefined) return compile();
  let made: Clause | undefined;
  const clause = (): Clause => {
    made ??= compile();
    return made;
  };
  const cached = generation.clauses.get(predicate) ?? new CachedClause(clause(), generation);
  generation.clauses.set(predicate, cached);
  const { facts } = cached;
  const tester = () => answeredTest(cached, clause);
  const records = cached.records && cached.known < fewKnown;
  if (!cached.isListed) return { ...facts, records, tester };
  const stream = () => keptStream(cached, clause);
  if (!cached.isAmong || cached.list !== undefined) return { ...facts, records, tester, stream };
  return { ...facts, records, tester, stream, among: () => clause().among?.() ?? stream() };
}

function answeredTest(cached: CachedClause, clause: () => Clause): Test {
  let test: Test | undefined;
  let near = Number.NaN;
  let known: Uint8Array = unasked;
  const ask = (uid: Uid): boolean => {
    test ??= clause().tester();
    const holds = test(uid);
    const answered = cached.page(pageOf(uid));
    answered[uid % pageNodes] = holds ? yes : no;
    cached.known++;
    return holds;
  };
  function answered(uid: Uid): boolean {
    const number = pageOf(uid);
    if (number !== near) {
      near = number;
      known = cached.page(number);
    }
    const answer = known[uid % pageNodes];
    return answer === 0 ? ask(uid) : answer === yes;
  }
  /** A loop over cached results takes a third of the time of single calls. When all nodes pass, the block is not copied. */
  answered.sieve = (uids: readonly Uid[]): readonly Uid[] => {
    let kept: Uid[] | undefined;
    let page = Number.NaN;
    let of: Uint8Array = unasked;
    for (let i = 0; i < uids.length; i++) {
      const uid = uids[i] ?? 0;
      const number = pageOf(uid);
      if (number !== page) {
        page = number;
        of = cached.page(number);
      }
      const answer = of[uid % pageNodes];
      if (answer === yes || (answer === 0 && ask(uid))) kept?.push(uid);
      else kept ??= uids.slice(0, i);
    }
    return kept ?? uids;
  };
  return answered;
}

const unasked = new Uint8Array(0);

function* keptStream(cached: CachedClause, clause: () => Clause): Work<Stream> {
  if (cached.list !== undefined) return streamOf(cached.list);
  const { stream, listing = 1 } = clause();
  if (stream === undefined) return streamOf([]);
  const listed = yield* stream();
  if (listing === 1 || listed.count > maxKeptList) return listed;
  const uids: Uid[] = [];
  for (let i = 0; i < listed.chunkCount; i++) for (const uid of listed.chunk(i)) uids.push(uid);
  cached.keep(uids);
  return streamOf(uids);
}
