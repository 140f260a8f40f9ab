// Order by a column: a scan of its values that keeps the first rows.

import type { Place, Uid, Work } from "../../../core/storage.ts";
import { isList } from "../../storage-kit/index.ts";
import { type Column, type ColumnChunk, chunkOf } from "../structures/column.ts";
import { sortKey } from "../structures/sort-keys.ts";
import type { Candidates } from "./candidates.ts";
import type { Reader } from "./reader.ts";
import { scan } from "./scan.ts";
import { firstSorted, firstUnsorted, keptRows } from "./sort-rows.ts";

interface ByColumn {
  readonly column: Column;
  readonly descending: boolean;
  readonly after: Place | undefined;
  readonly wanted: number;
}

/** A top-k scan of the column. */
export function* topByColumn(reader: Reader, candidates: Candidates, { column, descending, after, wanted }: ByColumn): Work<readonly Uid[]> {
  const best = wanted <= insertionLimit ? new BestRows(wanted, { descending }) : new ManyRows(wanted, { descending });
  const missing: Uid[] = [];
  const sign = descending ? -1 : 1;
  const floor = floorOf(after, column, sign);
  let near = Number.NaN;
  let chunk: ColumnChunk = column.chunk(0, reader.view);
  yield* scan(reader, candidates.driven, {
    after: candidates.after,
    take(uids) {
      let { bound } = best;
      for (let i = 0; i < uids.length; i++) {
        const uid = uids[i] ?? 0;
        const number = chunkOf(uid);
        if (number !== near) {
          near = number;
          chunk = column.chunk(number, reader.view);
        }
        const high = chunk.high[uid & 255] ?? Number.NaN;
        // Nearly all candidates end here: the counted loop and the local bound halve the time of the scan.
        if (sign * high > bound) continue;
        if (Number.isNaN(high)) {
          if (missing.length < wanted && uid > floor.missingUid) missing.push(uid);
          continue;
        }
        if (sign * high <= floor.high && !isBehind(uid, sign * high, sign * (chunk.low?.[uid & 255] ?? 0), floor)) continue;
        best.offer(uid, high, chunk.low === undefined ? 0 : (chunk.low[uid & 255] ?? 0));
        bound = best.bound;
      }
      return best.hasExcess ? dropExcess(best) : true;
    },
  });
  const found = yield* best.uids();
  return found.length >= wanted ? found.slice(0, wanted) : [...found, ...missing];
}

/** A place among sort values: those of the column, or their negatives when descending. */
interface Floor {
  readonly high: number;
  readonly low: number;
  readonly uid: Uid;
  /** Nodes without a value are behind the place from this uid on. */
  readonly missingUid: Uid;
}

const noFloor: Floor = { high: Number.NEGATIVE_INFINITY, low: 0, uid: 0, missingUid: 0 };

function floorOf(place: Place | undefined, column: Column, sign: number): Floor {
  if (place === undefined) return noFloor;
  const [value] = place.keys;
  const key = value === undefined || isList(value) ? undefined : sortKey(column.kind, value);
  if (key === undefined) return { high: Number.POSITIVE_INFINITY, low: 0, uid: Number.POSITIVE_INFINITY, missingUid: place.uid };
  const [high, low] = column.parts(key);
  return { high: sign * high, low: sign * low, uid: place.uid, missingUid: 0 };
}

function isBehind(uid: Uid, high: number, low: number, floor: Floor): boolean {
  if (high !== floor.high) return high > floor.high;
  return low === floor.low ? uid > floor.uid : low > floor.low;
}

const insertionLimit = 200;

interface Direction {
  readonly descending: boolean;
}

interface Ranking {
  /** Rows whose sort value (the value, or its negative when descending) is above the bound are not among the first. */
  readonly bound: number;
  /** Call it in ascending order of uids. */
  offer(uid: Uid, high: number, low: number): void;
  /** Whether it keeps many more rows than are wanted. */
  readonly hasExcess: boolean;
  dropExcess(): Work<void>;
  uids(): Work<Uid[]>;
}

function* dropExcess(ranking: Ranking): Work<true> {
  yield* ranking.dropExcess();
  return true;
}

/** Keeps the first `count` rows, sorted. */
class BestRows implements Ranking {
  readonly #count: number;
  readonly #sign: number;
  readonly #highs: number[] = [];
  readonly #lows: number[] = [];
  readonly #uids: Uid[] = [];
  /** The value of the last row, once `count` rows are kept. */
  bound = Number.POSITIVE_INFINITY;
  readonly hasExcess = false;

  constructor(count: number, { descending }: Direction) {
    this.#count = count;
    this.#sign = descending ? -1 : 1;
  }

  offer(uid: Uid, value: number, lowValue: number): void {
    const high = this.#sign * value;
    const low = this.#sign * lowValue;
    const highs = this.#highs;
    const lows = this.#lows;
    let place = 0;
    for (let end = highs.length; place < end; ) {
      const middle = (place + end) >>> 1;
      if (isBefore(high, low, highs[middle] ?? 0, lows[middle] ?? 0)) end = middle;
      else place = middle + 1;
    }
    if (place >= this.#count) return;
    highs.splice(place, 0, high);
    lows.splice(place, 0, low);
    this.#uids.splice(place, 0, uid);
    if (highs.length > this.#count) {
      highs.pop();
      lows.pop();
      this.#uids.pop();
    }
    if (highs.length === this.#count) this.bound = highs[highs.length - 1] ?? this.bound;
  }

  *dropExcess(): Work<void> {}

  // biome-ignore lint/correctness/useYield: nothing is left to sort
  *uids(): Work<Uid[]> {
    return this.#uids;
  }
}

function isBefore(high: number, low: number, otherHigh: number, otherLow: number): boolean {
  return high < otherHigh || (high === otherHigh && low < otherLow);
}

/** Keeps up to twice the wanted rows, and sorts them at the end. */
class ManyRows implements Ranking {
  bound = Number.POSITIVE_INFINITY;
  readonly #count: number;
  readonly #sign: number;
  #highs: number[] = [];
  #lows: number[] = [];
  #uids: Uid[] = [];

  constructor(count: number, { descending }: Direction) {
    this.#count = count;
    this.#sign = descending ? -1 : 1;
  }

  offer(uid: Uid, high: number, low: number): void {
    this.#highs.push(this.#sign * high);
    this.#lows.push(this.#sign * low);
    this.#uids.push(uid);
  }

  get hasExcess(): boolean {
    return this.#uids.length > this.#count * 2 + keptRows;
  }

  *dropExcess(): Work<void> {
    const places = yield* firstUnsorted([...this.#uids.keys()], { compare: this.#compare, count: this.#count });
    this.bound = this.#highs[places[this.#count - 1] ?? 0] ?? this.bound;
    this.#highs = places.map((place) => this.#highs[place] ?? 0);
    this.#lows = places.map((place) => this.#lows[place] ?? 0);
    this.#uids = places.map((place) => this.#uids[place] ?? 0);
  }

  *uids(): Work<Uid[]> {
    const places = yield* firstSorted([...this.#uids.keys()], { compare: this.#compare, count: this.#count });
    return places.map((place) => this.#uids[place] ?? 0);
  }

  readonly #compare = (a: number, b: number): number =>
    (this.#highs[a] ?? 0) - (this.#highs[b] ?? 0) || (this.#lows[a] ?? 0) - (this.#lows[b] ?? 0) || (this.#uids[a] ?? 0) - (this.#uids[b] ?? 0);
}
