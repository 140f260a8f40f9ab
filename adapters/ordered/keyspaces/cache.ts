// One byte bound for all decoded values. Entries live in two generations: a hit moves an entry to the young one; when that holds half the
// bound, the old one is dropped as a whole. A hit updates no list, and eviction scans nothing.

export interface Evictable {
  /** The young generation becomes the old one; the old one is dropped. */
  age(): void;
}

export class Cache {
  #halfBytes: number;
  readonly #members = new Set<Evictable>();
  #youngBytes = 0;
  #oldBytes = 0;
  /** How often the old generation was dropped. A high rate means that the cache is small for the workload. */
  aged = 0;

  constructor(maxBytes: number) {
    this.#halfBytes = maxBytes / 2;
  }

  get maxBytes(): number {
    return this.#halfBytes * 2;
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  resize(maxBytes: number): void {
    this.#halfBytes = maxBytes / 2;
    while (this.bytes > maxBytes) this.#age();
  }

  join(member: Evictable): void {
    this.#members.add(member);
  }

  leave(member: Evictable): void {
    this.#members.delete(member);
  }

  grow(bytes: number): void {
    this.#youngBytes += bytes;
    if (this.#youngBytes > this.#halfBytes) this.#age();
  }

  #age(): void {
    this.aged++;
    for (const member of this.#members) member.age();
    this.#oldBytes = this.#youngBytes;
    this.#youngBytes = 0;
  }
}
