// Caches the results of lasting conditions (those of rules) until the next commit: each node is tested once, for all requests.

import type { Predicate, Uid, Work } from "../../../core/storage.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";
import type { Answer, Clause, Test } from "./clause.ts";
import { KeptChunks, type KeptList, listOfOne, streamOfKept } from "./kept-stream.ts";
import { askInTurns } from "./long-tests.ts";
import type { Reader } from "./reader.ts";
import { emptyStream, type Stream } from "./stream.ts";

/** Bound of all conditions together, in bytes. */
const maxKeptBytes = 32 << 20;
/** The size of a condition, and of a node in a list, in bytes. */
const conditionBytes = 256;
const listedBytes = 8;
/** A computed list is cached up to this length: an eighth of the room. */
const maxKeptList = 500_000;
/** The cost of a test: most nodes are asked about again and again. */
const cachedCost = 0.25;
/** With fewer cached results than this, the records that a test reads are read together. */
const fewKnown = 1_024;

/** The estimates of a clause. */
type Facts = Pick<Clause, "estimate" | "listing" | "exactCount" | "covers" | "cost" | "firstCost" | "mayTakeLong">;

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
  list: KeptList | undefined;
  /** Of a list that is computed chunk by chunk. */
  readonly chunks: KeptChunks;
  readonly #pages: (Uint8Array | undefined)[] = [];
  readonly #generation: CacheGeneration;

  constructor({ estimate, listing, exactCount, covers, records, cost, stream, among, mayTakeLong }: Clause, generation: CacheGeneration) {
    this.facts = {
      estimate,
      cost: cachedCost,
      firstCost: cost,
      ...(listing !== undefined && { listing }),
      ...(exactCount !== undefined && { exactCount }),
      ...(covers && { covers }),
      ...(mayTakeLong && { mayTakeLong }),
    };
    this.records = records;
    this.isListed = stream !== undefined;
    this.isAmong = among !== undefined;
    this.#generation = generation;
    generation.bytes += conditionBytes;
    this.chunks = new KeptChunks({ keep: (uids) => this.#count(uids), whole: (list) => this.#keep(list) });
  }

  keep(list: readonly Uid[]): void {
    this.#count(list);
    this.#keep(listOfOne(list));
  }

  #count(uids: readonly Uid[]): void {
    this.#generation.bytes += uids.length * listedBytes;
  }

  #keep(list: KeptList): void {
    const { listing, mayTakeLong, ...facts } = this.facts;
    this.list = list;
    this.facts = { ...facts, firstCost: 1, estimate: list.count, exactCount: list.count };
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

function kept(predicate: Predicate, clause: Clause, generation: CacheGeneration): CachedClause {
  const cached = new CachedClause(clause, generation);
  generation.clauses.set(predicate, cached);
  return cached;
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
  const cached = generation.clauses.get(predicate) ?? kept(predicate, clause(), generation);
  const { facts } = cached;
  const tester = () => answeredTest(cached, clause);
  const records = cached.records && cached.known < fewKnown;
  if (!cached.isListed) return { ...facts, records, tester };
  const stream = () => keptStream(reader, cached, clause);
  if (!cached.isAmong || cached.list !== undefined) return { ...facts, records, tester, stream };
  return { ...facts, records, tester, stream, among: () => clause().among?.() ?? stream() };
}

function answeredTest(cached: CachedClause, clause: () => Clause): Test {
  let test: Test | undefined;
  let near = Number.NaN;
  let known: Uint8Array = unasked;
  const asked = (): Test => {
    test ??= cached.list === undefined ? clause().tester() : memberOf(cached.list);
    return test;
  };
  const ask = (uid: Uid): boolean => {
    return keep(uid, asked()(uid) ? yes : no);
  };
  const keep = (uid: Uid, answer: typeof yes | typeof no): boolean => {
    const answered = cached.page(pageOf(uid));
    answered[uid % pageNodes] = answer;
    cached.known++;
    return answer === yes;
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
  if (cached.facts.mayTakeLong !== true) return answered;
  function* kept(uid: Uid, work: Work<boolean>): Work<boolean> {
    return keep(uid, (yield* work) ? yes : no);
  }
  const inTurns = (uid: Uid): Answer => {
    const known = cached.page(pageOf(uid))[uid % pageNodes];
    if (known !== 0) return known === yes;
    const answer = askInTurns(asked(), uid);
    return typeof answer === "boolean" ? keep(uid, answer ? yes : no) : kept(uid, answer);
  };
  return Object.assign(answered, { inTurns });
}

const unasked = new Uint8Array(0);

function memberOf(list: KeptList): Test {
  const stream = streamOfKept(list);
  return (uid) => stream.contains(uid);
}

function* keptStream(reader: Reader, cached: CachedClause, clause: () => Clause): Work<Stream> {
  if (cached.list !== undefined) return streamOfKept(cached.list);
  const { stream, listing = 1 } = clause();
  if (stream === undefined) return emptyStream;
  const listed = yield* stream();
  if (listed.count > maxKeptList) return listed;
  // Reading an existing list again costs nothing; merging several costs as much each time.
  if (listing === 1) return listed.exact ? listed : cached.chunks.of(listed);
  cached.keep(yield* allOf(reader, listed));
  return listed;
}

function* allOf(reader: Reader, stream: Stream): Work<readonly Uid[]> {
  if (stream.chunkCount === 1) return stream.chunk(0);
  const uids: Uid[] = [];
  for (let i = 0; i < stream.chunkCount; i++) {
    for (const uid of stream.chunk(i)) uids.push(uid);
    yield* reader.spend(0);
  }
  return uids;
}
