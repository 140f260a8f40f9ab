// The search of one layer of a graph: from node to nearer node, with the `breadth` nearest found so far in view.

import type { Layers } from "./links.ts";
import type { Point } from "./points.ts";
import { RankedHeap, type RankedUid } from "./ranked-heap.ts";
import type { Rank } from "./ranks.ts";

/** One state of a graph, and how it compares points. */
export interface GraphView {
  readonly rank: Rank;
  point(uid: number): Point | undefined;
  layers(uid: number): Layers | undefined;
}

export interface LayerSearchOptions {
  readonly target: Point;
  readonly layer: number;
  readonly breadth: number;
  /** The nodes that the result may hold. The search passes through all others too. By default: all. */
  readonly accept?: ((uid: number) => boolean) | undefined;
}

export class LayerSearch {
  readonly #graph: GraphView;
  readonly #options: LayerSearchOptions;
  readonly #seen = new Set<number>();
  readonly #ahead = new RankedHeap("nearest");
  readonly #found = new RankedHeap("farthest");

  constructor(graph: GraphView, entries: readonly number[], options: LayerSearchOptions) {
    this.#graph = graph;
    this.#options = options;
    for (const uid of entries) this.#visit(uid);
  }

  /** How many nodes it has compared with the target. */
  get visits(): number {
    return this.#seen.size;
  }

  /** Visits about as many nodes more. Returns whether the search is at its end. */
  advance(visits: number): boolean {
    const until = this.#seen.size + visits;
    while (this.#seen.size < until) {
      if (this.#ahead.size === 0 || !this.#takes(this.#ahead.topRank, this.#ahead.topUid)) return true;
      const links = this.#graph.layers(this.#ahead.pop())?.[this.#options.layer];
      if (links === undefined) continue;
      for (let i = 0; i < links.length; i++) this.#visit(links[i] as number);
    }
    return false;
  }

  /** Runs to the end. Nearest first. */
  run(): readonly RankedUid[] {
    this.advance(Number.POSITIVE_INFINITY);
    return this.results();
  }

  results(): readonly RankedUid[] {
    return this.#found.drain();
  }

  /** Whether there is room in view for a node of this rank; one that is in view already has it. */
  #takes(rank: number, uid: number): boolean {
    const { size, topRank, topUid } = this.#found;
    return size < this.#options.breadth || rank < topRank || (rank === topRank && uid >= topUid);
  }

  #visit(uid: number): void {
    if (this.#seen.size === this.#seen.add(uid).size) return;
    const point = this.#graph.point(uid);
    if (point === undefined) return;
    const rank = this.#graph.rank(this.#options.target, point);
    if (!this.#takes(rank, uid)) return;
    this.#ahead.push(rank, uid);
    if (this.#options.accept?.(uid) === false) return;
    this.#found.push(rank, uid);
    if (this.#found.size > this.#options.breadth) this.#found.pop();
  }
}
