// Follows one end from many nodes at once. Each partner is tested once; order and page apply to each source.

import type { FollowRequest, Links, TypeName, Uid, Work } from "../../../core/storage.ts";
import type { EndRuntime } from "../layout/layout-runtime.ts";
import { type Clause, ofStream, type Test } from "./clause.ts";
import { compileClause } from "./clauses.ts";
import { chooseDriver, flatten } from "./combined.ts";
import { every, passingInTurns, remembering } from "./long-tests.ts";
import { ofTypes } from "./of-types.ts";
import { orderedAmong } from "./order.ts";
import { sorted } from "./order-by-record.ts";
import { blockRows, type Reader } from "./reader.ts";
import { rowsOf } from "./rows.ts";
import { gather } from "./scan.ts";
import { type Stream, streamOf } from "./stream.ts";

export function* follow(reader: Reader, request: FollowRequest): Work<Links> {
  const rowByUid = new Map<Uid, number>();
  const uids: Uid[] = [];
  const starts: number[] = [0];
  const rows: number[] = [];
  yield* eachSource(reader, request, (partners) => {
    for (const uid of partners) {
      let row = rowByUid.get(uid);
      if (row === undefined) {
        row = uids.length;
        rowByUid.set(uid, row);
        uids.push(uid);
      }
      rows.push(row);
    }
    starts.push(rows.length);
  });
  return { starts, rows, nodes: yield* rowsOf(reader, uids, request.fields) };
}

/** Calls `take` with the partners of each source, in the order of `from`. */
export function* eachSource(reader: Reader, request: Omit<FollowRequest, "fields">, take: (partners: readonly Uid[]) => void): Work<void> {
  const end = endOf(reader, request.end);
  const guard = end.guarded ? end.types : undefined;
  const clauses = conditionsOf(reader, end, request);
  const records = clauses.some((clause) => clause.records);
  const test = cachingTest(clauses);
  const few = fewOf(reader, clauses);
  const { order, page } = request;
  const unordered = page === undefined && request.after === undefined && (order === undefined || order.length === 0);
  const isCheap = clauses.every((clause) => clause.cost <= 1 && !clause.records);
  let rows = 0;
  for (const source of request.from) {
    const hidden = guard !== undefined && !guard.has(reader.typeOf(source) ?? "");
    // Most lists are short, and all or nearly all of their nodes match.
    const short = hidden ? noPartners : unordered && isCheap ? end.lists.short(source, reader.view) : undefined;
    const passing = short === undefined || test === undefined ? short : short.filter(test);
    const partners = passing ?? (yield* partnersOf(reader, { end, source, clauses, test, few, records, request }));
    take(partners);
    rows += partners.length + 1;
    if (rows < blockRows) continue;
    yield* reader.spend(rows);
    rows = 0;
  }
  yield* reader.spend(rows);
}

const noPartners: readonly Uid[] = [];

function endOf(reader: Reader, name: string): EndRuntime {
  const end = reader.schema.ends.get(name);
  if (end === undefined) throw new TypeError(`no end ${name} in the layout`);
  return end;
}

function conditionsOf(reader: Reader, end: EndRuntime, { types, where }: Omit<FollowRequest, "fields">): Clause[] {
  const seen: readonly TypeName[] | undefined = types?.filter((type) => end.partners.has(type));
  const narrower = seen === undefined ? !end.showsAll : [...end.reaches].some((type) => !seen.includes(type));
  const clauses: Clause[] = narrower ? [ofTypes(reader, seen ?? [...end.partners])] : [];
  if (where !== undefined && where.kind !== "all") clauses.push(compileClause(reader, where));
  return clauses.sort((a, b) => a.cost - b.cost);
}

const maxRemembered = 100_000;

/** Tests each partner once, whatever sources lead to it. A test that is a single lookup is not cached: repeating it is faster. */
function cachingTest(clauses: readonly Clause[]): Test | undefined {
  const tests = clauses.map((clause) => clause.tester());
  const [only] = tests;
  if (only === undefined || (tests.length === 1 && clauses.every((clause) => clause.cost <= 1))) return only;
  return remembering(every(tests), maxRemembered);
}

/** The nodes that pass the conditions; listed when the first source with many more partners needs them. */
interface Few {
  /** The cost of listing them, in tests of single partners. */
  cost: number;
  readonly uids: () => Work<readonly Uid[]>;
}

/** The cost of listing one node and of testing it. */
const costOfOne = 4;

function fewOf(reader: Reader, clauses: readonly Clause[]): Few | undefined {
  const parts = flatten(clauses);
  const costs = parts.flatMap(({ stream, estimate, listing = 1 }) => (stream === undefined ? [] : [estimate * listing * costOfOne]));
  if (costs.length === 0) return undefined;
  let listed: readonly Uid[] | undefined;
  const few: Few = {
    cost: Math.min(...costs),
    *uids() {
      listed ??= yield* gather(reader, yield* chooseDriver(parts), { limit: Number.POSITIVE_INFINITY, after: 0 });
      few.cost = listed.length;
      return listed;
    },
  };
  return few;
}

interface OneSource {
  readonly end: EndRuntime;
  readonly source: Uid;
  readonly clauses: readonly Clause[];
  readonly test: Test | undefined;
  readonly few: Few | undefined;
  readonly records: boolean;
  readonly request: Omit<FollowRequest, "fields">;
}

function* partnersOf(reader: Reader, { end, source, clauses, test, few, records, request }: OneSource): Work<readonly Uid[]> {
  const { order, after, page } = request;
  const ordered = order !== undefined && order.length > 0;
  const offset = page === undefined || "last" in page ? 0 : (page.offset ?? 0);
  const wanted = page === undefined || "last" in page || page.first === undefined ? Number.POSITIVE_INFINITY : offset + page.first;
  const partners = end.lists.open(source, reader.view);
  const matches = few !== undefined && few.cost < partners.count ? (yield* few.uids()).filter((uid) => partners.contains(uid)) : undefined;
  if (ordered && matches === undefined && partners.count > manyPartners) {
    return (yield* orderedPartners(reader, { partners, clauses, request, wanted })).slice(offset, wanted);
  }
  const list = matches === undefined ? partners : streamOf(matches);
  const { ask, passes } = asked(matches === undefined ? test : undefined);
  const found: Uid[] = [];
  for (let c = 0; c < list.chunkCount; c++) {
    const chunk = list.chunk(c);
    if (ordered || (records && matches === undefined)) yield* reader.prefetch(chunk);
    const most = ordered || after !== undefined ? Number.POSITIVE_INFINITY : wanted - found.length;
    for (const uid of ask === undefined ? chunk : yield* passingInTurns(ask, chunk, most)) {
      if (passes !== undefined && !passes(uid)) continue;
      if (!ordered && after !== undefined && uid <= after.uid) continue;
      found.push(uid);
      if (!ordered && found.length >= wanted) return found.slice(offset);
    }
    if (list.chunkCount > 1) yield* reader.spend(0);
  }
  if (ordered) return (yield* sorted(reader, found, { order, after, wanted })).slice(offset);
  if (page !== undefined && "last" in page) return found.slice(Math.max(0, found.length - page.last));
  return offset === 0 ? found : found.slice(offset);
}

interface Asked {
  /** A test that may take long. */
  readonly ask?: NonNullable<Test["inTurns"]>;
  readonly passes?: Test;
}

function asked(test: Test | undefined): Asked {
  if (test === undefined) return {};
  return test.inTurns === undefined ? { passes: test } : { ask: test.inTurns };
}

/** Of so many partners the records are not read for an order: an index or a column of the field may have their places. */
const manyPartners = 64;

interface ManyPartners {
  readonly partners: Stream;
  readonly clauses: readonly Clause[];
  readonly request: Omit<FollowRequest, "fields">;
  readonly wanted: number;
}

/** The first partners in order, as the nodes of any other condition are found. */
function* orderedPartners(reader: Reader, { partners, clauses, request, wanted }: ManyPartners): Work<readonly Uid[]> {
  const parts = flatten([...clauses, ofStream(partners)]);
  const candidates = { driven: yield* chooseDriver(parts), clauses: parts, after: 0 };
  const { where, order = [], after } = request;
  return yield* orderedAmong(reader, candidates, { where, order, after, wanted });
}
