// A graph of vectors in which near ones are linked: a hierarchical navigable small world (Malkov and Yashunin, 2016, arXiv:1603.09320). It lies in
// the store like any other index, and changes in the transaction that writes the node. Two things differ from the paper: links go both ways, so
// that a node can be taken out with all its links; and a node's level follows from its uid, so that a build can be repeated.

import type { Metric, Vector } from "../../../core/storage.ts";
import { uidText } from "../keyspaces/keys.ts";
import { type EntryView, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";
import { type GraphView, LayerSearch } from "./layer-search.ts";
import { type Head, headsCodec, type Layers, layersCodec } from "./links.ts";
import { type Point, pointCodec, pointOf, samePoint } from "./points.ts";
import { byNearness, type RankedUid } from "./ranked-heap.ts";
import { exactRankOf, type Rank, rankOf } from "./ranks.ts";

export interface NearestGraphOptions {
  readonly metric: Metric;
  readonly quantize: "int8" | undefined;
  /** The candidates that an insertion keeps in view. */
  readonly buildBreadth: number | undefined;
}

/** `M` of the paper: the links of a new node in each layer. */
const newLinks = 16;
/** The most links in the lowest layer, and in the others. */
const mostLinks = [2 * newLinks, newLinks] as const;
/** A node with no more links than these keeps them, so that it stays within reach. */
const fewestLinks = 6;
/** `efConstruction` of the paper. */
const defaultBuildBreadth = 80;
const highestLevel = 12;
const mostSpares = 16;

/** The key of a keyspace with a single entry. */
const only = 0;

export class NearestGraph {
  readonly points: Keyspace<number, Point>;
  readonly links: Keyspace<number, Layers>;
  readonly heads: Keyspace<number, readonly Head[]>;
  readonly quantize: "int8" | undefined;
  /** For comparisons of points that are not quantized. */
  readonly exactRank: Rank;
  readonly #metric: Metric;
  readonly #rank: Rank;
  readonly #buildBreadth: number;

  constructor(host: KeyspaceHost, prefix: string, { metric, quantize, buildBreadth = defaultBuildBreadth }: NearestGraphOptions) {
    const ofNode = { textOf: uidText, uidOf: (uid: number) => uid };
    this.points = new Keyspace(host, { prefix: `${prefix}p`, codec: pointCodec(quantize), ...ofNode });
    this.links = new Keyspace(host, { prefix: `${prefix}l`, codec: layersCodec, ...ofNode });
    this.heads = new Keyspace(host, { prefix: `${prefix}h`, textOf: uidText, codec: headsCodec });
    this.quantize = quantize;
    this.#metric = metric;
    this.#rank = rankOf(metric, quantize);
    this.exactRank = exactRankOf(metric);
    this.#buildBreadth = Math.max(buildBreadth, newLinks);
  }

  /** The graphs of all lengths that have vectors. */
  headsOf(view: EntryView): readonly Head[] {
    return this.heads.read(only, view) ?? [];
  }

  open(view: EntryView): GraphView {
    return { rank: this.#rank, point: (uid) => this.points.read(uid, view), layers: (uid) => this.links.read(uid, view) };
  }

  /** Nodes of the lowest layer near `target`: where a search of that layer begins. */
  descend(graph: GraphView, { entry }: Head, target: Point): readonly number[] {
    let entries: readonly number[] = [entry];
    for (let layer = levelIn(graph, entry); layer > 0; layer--) entries = this.#nearestOne(graph, entries, { target, layer });
    return entries;
  }

  #nearestOne(graph: GraphView, entries: readonly number[], at: { readonly target: Point; readonly layer: number }): readonly number[] {
    const found = new LayerSearch(graph, entries, { ...at, breadth: 1 }).run();
    return found.length === 0 ? entries : found.map(({ uid }) => uid);
  }

  /** The point that a node with this vector has in the graph. None: the vector has no distance to any other. */
  pointFor(vector: Vector): Point | undefined {
    const point = pointOf(vector, this.quantize);
    return this.#metric === "cosine" && point.square === 0 ? undefined : point;
  }

  has(uid: number, vector: Vector | undefined, view: EntryView): boolean {
    const point = vector && this.pointFor(vector);
    const known = this.points.read(uid, view);
    return point === undefined || known === undefined ? point === known : samePoint(point, known) && this.links.read(uid, view) !== undefined;
  }

  /** @param vector undefined: the node has none */
  set(uid: number, vector: Vector | undefined, view: EntryView): void {
    if (this.has(uid, vector, view)) return;
    this.#remove(uid, view);
    const point = vector && this.pointFor(vector);
    if (point !== undefined) this.#insert(uid, point, view);
  }

  /** Takes a node out and puts it in again: its links were damaged. */
  reinsert(uid: number, view: EntryView): void {
    const point = this.points.read(uid, view);
    if (point === undefined) return;
    this.#remove(uid, view);
    this.#insert(uid, point, view);
  }

  /** Makes the head of the vectors of one length from their nodes. */
  mendHead(length: number, uids: readonly number[], view: EntryView): void {
    const graph = this.open(view);
    const linked = uids.filter((uid) => graph.layers(uid) !== undefined);
    const entry = linked.reduce((best, uid) => (best === 0 || levelIn(graph, uid) > levelIn(graph, best) ? uid : best), 0);
    this.#putHead(view, { length, entry, count: uids.length, spares: [] });
  }

  #insert(uid: number, point: Point, view: EntryView): void {
    const level = levelOf(uid);
    this.points.put(uid, point);
    this.links.put(
      uid,
      Array.from({ length: level + 1 }, () => []),
    );
    const head = this.#headOf(point, view);
    const graph = this.open(view);
    if (head.entry !== 0) this.#connect(graph, head, { uid, point, level }, view);
    const isHighest = head.entry === 0 || level > levelIn(graph, head.entry);
    const spare = isHighest ? head.entry : level > 0 ? uid : 0;
    this.#putHead(view, {
      ...head,
      count: head.count + 1,
      entry: isHighest ? uid : head.entry,
      spares: spare === 0 ? head.spares : [spare, ...head.spares].slice(0, mostSpares),
    });
  }

  /** Links a new node with near ones in each of its layers. */
  #connect(graph: GraphView, head: Head, { uid, point, level }: NewNode, view: EntryView): void {
    let entries: readonly number[] = [head.entry];
    for (let layer = levelIn(graph, head.entry); layer >= 0; layer--) {
      if (layer > level) {
        entries = this.#nearestOne(graph, entries, { target: point, layer });
        continue;
      }
      const found = new LayerSearch(graph, entries, { target: point, layer, breadth: this.#buildBreadth }).run();
      const chosen = diverse(graph, found, newLinks);
      for (const other of chosen) this.#link(uid, other, layer, view);
      for (const other of chosen) this.#trim(graph, other, layer, view);
      if (found.length > 0) entries = found.map((each) => each.uid);
    }
  }

  #link(a: number, b: number, layer: number, view: EntryView): void {
    this.links.edit(a, view)?.[layer]?.push(b);
    this.links.edit(b, view)?.[layer]?.push(a);
  }

  /** Drops links of a node that has too many. */
  #trim(graph: GraphView, uid: number, layer: number, view: EntryView): void {
    const most = layer === 0 ? mostLinks[0] : mostLinks[1];
    const links = graph.layers(uid)?.[layer] ?? [];
    if (links.length <= most) return;
    const kept = new Set(diverse(graph, ranked(graph, uid, links), most));
    for (const other of [...links]) {
      if (kept.has(other) || (graph.layers(other)?.[layer]?.length ?? 0) <= fewestLinks) continue;
      this.#unlink(uid, other, layer, view);
      this.#unlink(other, uid, layer, view);
    }
  }

  #unlink(from: number, to: number, layer: number, view: EntryView): void {
    const links = this.links.edit(from, view)?.[layer];
    const place = links?.indexOf(to) ?? -1;
    if (place >= 0) links?.splice(place, 1);
  }

  #remove(uid: number, view: EntryView): void {
    const point = this.points.read(uid, view);
    if (point === undefined) return;
    const layers = this.links.read(uid, view) ?? [];
    this.points.put(uid, undefined);
    this.links.put(uid, undefined);
    layers.forEach((links, layer) => {
      for (const other of links) this.#unlink(other, uid, layer, view);
    });
    const graph = this.open(view);
    layers.forEach((links, layer) => {
      for (const other of links) this.#rejoin(graph, { uid: other, lost: links, layer }, view);
    });
    this.#forget(graph, { head: this.#headOf(point, view), uid, neighbours: layers.flat() }, view);
  }

  /** Links a node with others that had a link to the same removed node. */
  #rejoin(
    graph: GraphView,
    { uid, lost, layer }: { readonly uid: number; readonly lost: readonly number[]; readonly layer: number },
    view: EntryView,
  ): void {
    const own = graph.layers(uid)?.[layer] ?? [];
    const most = layer === 0 ? mostLinks[0] : mostLinks[1];
    const others = lost.filter((other) => other !== uid && !own.includes(other));
    const chosen = new Set(diverse(graph, ranked(graph, uid, [...own, ...others]), most));
    const fresh = others.filter((other) => chosen.has(other));
    for (const other of fresh) this.#link(uid, other, layer, view);
    for (const other of fresh) this.#trim(graph, other, layer, view);
  }

  /** The head without a removed node. */
  #forget(graph: GraphView, { head, uid, neighbours }: Forgotten, view: EntryView): void {
    const spares = head.spares.filter((each) => each !== uid);
    const heirs = [...spares, ...neighbours].filter((each) => graph.layers(each) !== undefined);
    const highest = heirs.reduce((best, each) => (best === 0 || levelIn(graph, each) > levelIn(graph, best) ? each : best), 0);
    this.#putHead(view, { ...head, count: head.count - 1, spares, entry: head.entry === uid ? highest : head.entry });
  }

  #headOf({ elements: { length } }: Point, view: EntryView): Head {
    return this.headsOf(view).find((head) => head.length === length) ?? { length, entry: 0, count: 0, spares: [] };
  }

  #putHead(view: EntryView, head: Head): void {
    const others = this.headsOf(view).filter(({ length }) => length !== head.length);
    const heads = head.count > 0 ? [...others, head] : others;
    this.heads.put(only, heads.length > 0 ? heads : undefined);
  }

  close(): void {
    this.points.close();
    this.links.close();
    this.heads.close();
  }
}

interface NewNode {
  readonly uid: number;
  readonly point: Point;
  readonly level: number;
}

interface Forgotten {
  readonly head: Head;
  /** The removed node, and those that it was linked to. */
  readonly uid: number;
  readonly neighbours: readonly number[];
}

function levelIn(graph: GraphView, uid: number): number {
  return (graph.layers(uid)?.length ?? 1) - 1;
}

/** Each level has a sixteenth of the nodes of the one below. */
function levelOf(uid: number): number {
  let mixed = Math.imul((uid ^ Math.floor(uid / 0x1_0000_0000)) + 0x9e37_79b9, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  const share = ((mixed ^ (mixed >>> 16)) >>> 0) + 0.5;
  return Math.min(highestLevel, Math.floor(-Math.log(share / 0x1_0000_0000) / Math.log(newLinks)));
}

function ranked(graph: GraphView, uid: number, others: readonly number[]): RankedUid[] {
  const point = graph.point(uid);
  const found: RankedUid[] = [];
  for (const other of others) {
    const its = graph.point(other);
    if (point !== undefined && its !== undefined) found.push({ uid: other, rank: graph.rank(point, its) });
  }
  return found.sort(byNearness);
}

/**
 * Up to `most` of the candidates, so that they lie in different directions: one that is nearer to a chosen one than to the node itself is left
 * out (algorithm 4 of the paper), unless there are few.
 *
 * @param candidates nearest first
 */
function diverse(graph: GraphView, candidates: readonly RankedUid[], most: number): readonly number[] {
  const chosen: number[] = [];
  const points: Point[] = [];
  const passedOver: number[] = [];
  for (const { uid, rank } of candidates) {
    if (chosen.length >= most) break;
    const point = graph.point(uid);
    if (point === undefined) continue;
    if (points.some((other) => graph.rank(point, other) < rank)) passedOver.push(uid);
    else {
      chosen.push(uid);
      points.push(point);
    }
  }
  return chosen.length >= fewestLinks ? chosen : [...chosen, ...passedOver.slice(0, fewestLinks - chosen.length)];
}
