// The nearest of many candidates, kept in a bounded heap.

import type { Nearest } from "../../contracts/storage/requests.ts";
import type { Stored, Uid, Vector } from "../../ground/values/value.ts";
import { distanceFrom, isVector, wrongLength } from "../../ground/values/vector.ts";

/** A node and its distance from the vector that is searched for. */
export interface Hit {
  readonly uid: Uid;
  readonly distance: number;
}

/** Below 0 when `a` comes before `b`: nearer, or as near with a smaller uid. */
export function compareHits(a: Hit, b: Hit): number {
  return a.distance - b.distance || a.uid - b.uid;
}

/** Keeps the `count` nearest of the nodes that it is offered. */
export class NearestList {
  readonly #nearest: Nearest;
  readonly #distance: (other: Vector) => number;
  /** A heap with the farthest hit first. */
  readonly #heap: Hit[] = [];
  /** Whether there were vectors of the right length, and others. */
  #sawSame = false;
  #sawOther = false;

  constructor(nearest: Nearest) {
    this.#nearest = nearest;
    this.#distance = distanceFrom(nearest.metric, nearest.vector);
  }

  /** @param stored the node's value; anything but a vector of the right length is no candidate */
  offer(uid: Uid, stored: Stored | undefined): void {
    if (stored === undefined || !isVector(stored)) return;
    if (stored.length !== this.#nearest.vector.length) {
      this.#sawOther = true;
      return;
    }
    this.#sawSame = true;
    this.add({ uid, distance: this.#distance(stored) });
  }

  /** @param hit whose distance may be no number: such a node is no candidate */
  add(hit: Hit): void {
    const { count, within = Number.POSITIVE_INFINITY } = this.#nearest;
    if (Number.isNaN(hit.distance) || hit.distance > within || count < 1) return;
    if (this.#heap.length < count) this.#rise(this.#heap.push(hit) - 1);
    else if (compareHits(hit, this.#heap[0] ?? hit) < 0) this.#sink(hit);
  }

  /**
   * The nearest first.
   *
   * @throws `VALUE_INVALID` when it was offered vectors, and only such of another length
   */
  sorted(): readonly Hit[] {
    if (this.#sawOther && !this.#sawSame) throw wrongLength(this.#nearest.metric);
    return [...this.#heap].sort(compareHits);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const [above, own] = [heap[parent], heap[place]];
      if (above === undefined || own === undefined || compareHits(own, above) <= 0) return;
      heap[parent] = own;
      heap[place] = above;
      place = parent;
    }
  }

  /** Replaces the farthest hit. */
  #sink(hit: Hit): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      if (right !== undefined && compareHits(right, left) > 0) child++;
      const farther = heap[child];
      if (farther === undefined || compareHits(farther, hit) <= 0) break;
      heap[place] = farther;
      place = child;
    }
    heap[place] = hit;
  }
}
