// The index of persisted queries: size and last use of each, to evict the least recently used.

import type { Json, PersistedQueryLimits } from "../../../core/index.ts";

interface Kept {
  /** The size of the document as UTF-8. */
  readonly bytes: number;
  /** In milliseconds since 1970; 0: unknown. */
  readonly used: number;
}

export class PersistedIndex {
  readonly #kept: Map<string, Kept>;
  #bytes: number;
  #changed = false;

  private constructor(kept: Map<string, Kept>) {
    this.#kept = kept;
    this.#bytes = 0;
    for (const { bytes } of kept.values()) this.#bytes += bytes;
  }

  /** Reads what `toJson` wrote. */
  static from(json: Json | undefined): PersistedIndex {
    const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
    const entries = isObject ? Object.entries(json) : [];
    return new PersistedIndex(
      new Map(
        entries.flatMap(([hash, entry]) => {
          const [bytes, used] = Array.isArray(entry) ? entry : [];
          return typeof bytes === "number" && typeof used === "number" ? [[hash, { bytes, used }] as const] : [];
        }),
      ),
    );
  }

  toJson(): Json {
    return Object.fromEntries([...this.#kept].map(([hash, { bytes, used }]) => [hash, [bytes, used]]));
  }

  /** Whether it has changed since it was read. */
  get changed(): boolean {
    return this.#changed;
  }

  has(hash: string): boolean {
    return this.#kept.has(hash);
  }

  /** Adds a hash that it does not have. */
  put(hash: string, kept: Kept): void {
    this.#kept.set(hash, kept);
    this.#bytes += kept.bytes;
    this.#changed = true;
  }

  remove(hash: string): void {
    this.#bytes -= this.#kept.get(hash)?.bytes ?? 0;
    this.#changed = this.#kept.delete(hash) || this.#changed;
  }

  /** Applies later uses of documents that it has. */
  mark(uses: ReadonlyMap<string, number>): void {
    for (const [hash, used] of uses) {
      const kept = this.#kept.get(hash);
      if (kept === undefined || kept.used >= used) continue;
      this.#kept.set(hash, { ...kept, used });
      this.#changed = true;
    }
  }

  isFull({ maxDocuments, maxBytes }: PersistedQueryLimits): boolean {
    return this.#kept.size >= maxDocuments || this.#bytes >= maxBytes;
  }

  hasRoom(bytes: number, { maxDocuments, maxBytes }: PersistedQueryLimits): boolean {
    return this.#kept.size < maxDocuments && this.#bytes + bytes <= maxBytes;
  }

  /** The hashes to evict: documents that are too long, then the least recently used until the rest fits. */
  excess({ maxDocuments, maxBytes, maxDocumentBytes }: PersistedQueryLimits): readonly string[] {
    let { size } = this.#kept;
    let bytes = this.#bytes;
    const gone: string[] = [];
    const take = (hash: string, kept: Kept) => {
      gone.push(hash);
      size--;
      bytes -= kept.bytes;
    };
    const fits = ([, kept]: readonly [string, Kept]) => kept.bytes <= maxDocumentBytes;
    const all = [...this.#kept];
    for (const [hash, kept] of all) if (kept.bytes > maxDocumentBytes) take(hash, kept);
    if (size <= maxDocuments && bytes <= maxBytes) return gone;
    for (const [hash, kept] of all.filter(fits).sort(([, a], [, b]) => a.used - b.used)) {
      if (size <= maxDocuments && bytes <= maxBytes) break;
      take(hash, kept);
    }
    return gone;
  }
}
