// A random source that is the same for the same seed, so that one number names a whole schema, request or deploy.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e37_79b9) >>> 0;
    this.below(2);
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % count;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    const chosen = from[this.below(from.length)];
    if (chosen === undefined) throw new RangeError("nothing to pick from");
    return chosen;
  }

  /** A subset, in order; each element with this chance. */
  some<T>(from: readonly T[], percent: number): T[] {
    return from.filter(() => this.chance(percent));
  }

  shuffled<T>(from: readonly T[]): T[] {
    const left = [...from];
    return from.flatMap(() => left.splice(this.below(left.length), 1));
  }
}
