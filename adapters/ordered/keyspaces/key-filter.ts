// The keys of a keyspace that was empty when the filter began: a key that it does not know is not in the store, and costs no read. A load asks for each
// key that it adds.

/** Of a hundred new keys, one is looked up in vain. */
const bitsPerKey = 10;
const probes = 4;
const firstBits = 1 << 21;
const growth = 4;
/** Room for seventeen million keys: 21 MiB. */
const maxParts = 4;

/** Bits for some number of keys. Their count is a power of two. */
interface Part {
  readonly words: Uint32Array;
  readonly mask: number;
  room: number;
}

function part(bits: number): Part {
  return { words: new Uint32Array(bits >>> 5), mask: bits - 1, room: Math.floor(bits / bitsPerKey) };
}

export class KeyFilter {
  readonly #parts: Part[] = [part(firstBits)];
  #first = 0;
  #step = 0;

  /** @returns false when it is full: it has lost track */
  add(key: string): boolean {
    this.#hash(key);
    let last = this.#parts.at(-1);
    if (last === undefined || last.room === 0) {
      if (this.#parts.length === maxParts) return false;
      last = part(firstBits * growth ** this.#parts.length);
      this.#parts.push(last);
    }
    const { words, mask } = last;
    last.room--;
    for (let i = 0, bit = this.#first; i < probes; i++, bit += this.#step) {
      const at = bit & mask;
      words[at >>> 5] = (words[at >>> 5] ?? 0) | (1 << (at & 31));
    }
    return true;
  }

  /** False: the key was never added. */
  mayHave(key: string): boolean {
    this.#hash(key);
    for (let i = 0; i < this.#parts.length; i++) if (this.#mayBeIn(this.#parts[i])) return true;
    return false;
  }

  #mayBeIn(searched: Part | undefined): boolean {
    if (searched === undefined) return false;
    const { words, mask } = searched;
    for (let i = 0, bit = this.#first; i < probes; i++, bit += this.#step) {
      const at = bit & mask;
      if (((words[at >>> 5] ?? 0) & (1 << (at & 31))) === 0) return false;
    }
    return true;
  }

  /** Sets two numbers, of which the probes are made. */
  #hash(key: string): void {
    let one = 0x9e37_79b9;
    let other = 0x85eb_ca6b;
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i);
      one = Math.imul(one ^ unit, 0x0100_0193);
      other = Math.imul(other ^ unit, 0x5bd1_e995);
      other ^= other >>> 15;
    }
    one = Math.imul(one ^ (one >>> 16), 0x7feb_352d);
    this.#first = one ^ (one >>> 15);
    // Odd: the probes of one key differ.
    this.#step = (other ^ (other >>> 13)) | 1;
  }
}
