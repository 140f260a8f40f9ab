// Finds the nodes nearest to a vector: along the links of a graph, or by a comparison with all candidates where these are few.

import {
  type Batch,
  type FindRequest,
  type Hit,
  isVector,
  type Nearest,
  NearestList,
  type Stored,
  type Uid,
  type Work,
  wrongLength,
} from "../../../core/storage.ts";
import type { FieldRuntime, NearestRuntime } from "../layout/layout-runtime.ts";
import { LayerSearch } from "../nearest/layer-search.ts";
import type { Head } from "../nearest/links.ts";
import { type Candidates, planCandidates } from "./candidates.ts";
import type { Test } from "./clause.ts";
import { everyTest } from "./combined.ts";
import { blockRows, type Reader } from "./reader.ts";
import { rowsOf } from "./rows.ts";
import { gather, scan } from "./scan.ts";

/** `ef` of the HNSW paper. Measured: recall above 0.95 at 100,000 vectors of 384 elements (test/bench/vectors.ts). */
const defaultBreadth = 64;
/** The nodes that a search compares for each one in its view, about. */
const visitsPerCandidate = 24;
/** So many candidates are compared in two milliseconds. */
const fewCandidates = 2_048;
/** A search with a filter that few nodes pass would visit the whole graph. */
const mostVisits = 30_000;
const visitsAtOnce = 256;

export interface NearestRequest extends FindRequest {
  readonly nearest: Nearest;
}

export function* findNearest(reader: Reader, request: NearestRequest): Work<Batch> {
  const { page, fields } = request;
  const hits = yield* nearestHits(reader, request);
  const offset = page !== undefined && "offset" in page ? (page.offset ?? 0) : 0;
  const first = page !== undefined && "first" in page ? page.first : undefined;
  const shown = hits.slice(offset, first === undefined ? undefined : offset + first);
  const batch = yield* rowsOf(
    reader,
    shown.map(({ uid }) => uid),
    fields,
  );
  return { ...batch, distances: shown.map(({ distance }) => distance) };
}

function* nearestHits(reader: Reader, { types, where, nearest }: NearestRequest): Work<readonly Hit[]> {
  const field = reader.field(nearest.field);
  const index = field.nearest.find(({ layout }) => layout.metric === nearest.metric);
  const candidates = yield* planCandidates(reader, types, where);
  const heads = index?.graph.headsOf(reader.view) ?? [];
  const head = heads.find(({ length }) => length === nearest.vector.length);
  // Vectors of nodes that are no candidates must not show: they may be hidden from whoever asks.
  if (head === undefined && heads.length > 0) return yield* noneOfThisLength(reader, { field, nearest, candidates });
  if (index !== undefined && head !== undefined) {
    const found = yield* searchGraph(reader, { index, head, nearest, candidates, covers: field.types.every((type) => types.includes(type)) });
    if (found !== undefined) return found;
  }
  return yield* compareAll(reader, { field, index, nearest, candidates });
}

/** @throws `VALUE_INVALID` when a candidate has a vector, which is of another length then */
function* noneOfThisLength(
  reader: Reader,
  { field, nearest, candidates }: Pick<GraphSearch, "nearest" | "candidates"> & { readonly field: FieldRuntime },
): Work<readonly Hit[]> {
  yield* scan(reader, { ...candidates.driven, records: true }, { after: candidates.after, take: (uids) => !uids.some(hasVector) });
  return [];

  function hasVector(uid: Uid): boolean {
    const stored = vectorOf(reader, uid, field);
    if (stored !== undefined && isVector(stored)) throw wrongLength(nearest.metric);
    return false;
  }
}

interface GraphSearch {
  readonly index: NearestRuntime;
  readonly head: Head;
  readonly nearest: Nearest;
  readonly candidates: Candidates;
  /** The request takes nodes of all types that the graph has. */
  readonly covers: boolean;
}

/** Undefined where a comparison with all candidates is cheaper, or is needed to find enough of them. */
function* searchGraph(reader: Reader, { index, head, nearest, candidates, covers }: GraphSearch): Work<readonly Hit[] | undefined> {
  const { graph } = index;
  const { count } = nearest;
  const breadth = Math.max(count, nearest.breadth ?? index.layout.searchBreadth ?? defaultBreadth);
  const among = candidates.driven.stream.count;
  const share = Math.min(1, among / Math.max(1, head.count));
  const target = graph.pointFor(nearest.vector);
  if (target === undefined || head.entry === 0 || among <= Math.max(fewCandidates, (breadth * visitsPerCandidate) / share)) return undefined;
  const view = graph.open(reader.view);
  const accept = acceptOf({ candidates, covers });
  const search = new LayerSearch(view, graph.descend(view, head, target), { target, layer: 0, breadth, accept });
  while (!search.advance(visitsAtOnce)) {
    if (search.visits > Math.max(mostVisits, breadth * visitsPerCandidate * 2)) return undefined;
    yield* reader.spend(visitsAtOnce);
  }
  const found = search.results();
  if (found.length < Math.min(count, head.count)) return undefined;
  return measured(reader, found, { index, field: index.field, nearest });
}

/** Undefined: every node of the graph is a candidate. */
function acceptOf({ candidates: { clauses, after }, covers }: Pick<GraphSearch, "candidates" | "covers">): Test | undefined {
  if (covers && after === 0 && clauses.every((clause) => clause.typesOnly !== undefined)) return undefined;
  const passes = everyTest(clauses);
  return after === 0 ? passes : (uid) => uid > after && passes(uid);
}

interface Comparison {
  readonly field: FieldRuntime;
  readonly index: NearestRuntime | undefined;
  readonly nearest: Nearest;
}

function* compareAll(reader: Reader, { candidates, ...comparison }: Comparison & { readonly candidates: Candidates }): Work<readonly Hit[]> {
  const { driven, after } = candidates;
  const { index, nearest } = comparison;
  const uids = yield* gather(reader, driven, { limit: Number.POSITIVE_INFINITY, after });
  if (!keepsVectors(index)) return (yield* measureAll(reader, uids, comparison)).sorted();
  // Ranks need one product of vectors, and their points are read faster than records.
  const ranked = yield* rankAll(reader, uids, { graph: index.graph, nearest });
  return measured(reader, ranked, comparison);
}

/** Whether the graph has the vectors themselves. */
function keepsVectors(index: NearestRuntime | undefined): index is NearestRuntime {
  return index !== undefined && index.graph.quantize === undefined;
}

/** Ranks are rounded otherwise than distances: so many more nodes are measured than are wanted. */
const margin = 32;

function* rankAll(
  reader: Reader,
  uids: readonly Uid[],
  { graph, nearest }: { readonly graph: NearestRuntime["graph"]; readonly nearest: Nearest },
): Work<readonly Hit[]> {
  const target = graph.pointFor(nearest.vector);
  if (target === undefined) return [];
  const view = graph.open(reader.view);
  const list = new NearestList({ ...nearest, count: nearest.count + margin, within: undefined });
  for (let i = 0; i < uids.length; i++) {
    const uid = uids[i] ?? 0;
    const point = view.point(uid);
    if (point?.elements.length === target.elements.length) list.add({ uid, distance: graph.exactRank(target, point) });
    if (i % blockRows === 0) yield* reader.spend(0);
  }
  return list.sorted();
}

function* measureAll(reader: Reader, uids: readonly Uid[], { field, nearest }: Comparison): Work<NearestList> {
  const list = new NearestList(nearest);
  for (let start = 0; start < uids.length; start += blockRows) {
    const block = uids.slice(start, start + blockRows);
    yield* reader.prefetch(block);
    for (const uid of block) list.offer(uid, vectorOf(reader, uid, field));
    yield* reader.spend(0);
  }
  return list;
}

/** The exact distances of a few nodes. */
function measured(reader: Reader, found: readonly { readonly uid: Uid }[], { index, field, nearest }: Comparison): readonly Hit[] {
  const list = new NearestList(nearest);
  for (const { uid } of found) {
    const elements = keepsVectors(index) ? index.graph.points.read(uid, reader.view)?.elements : undefined;
    list.offer(uid, elements instanceof Float32Array ? elements : vectorOf(reader, uid, field));
  }
  return list.sorted();
}

function vectorOf(reader: Reader, uid: Uid, field: FieldRuntime): Stored | undefined {
  const record = reader.record(uid);
  return record && field.read(record);
}
