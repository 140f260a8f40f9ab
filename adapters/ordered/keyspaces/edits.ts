// Edits: how a keyspace writes a small change of a large value. The value stays in the store as it was last written whole, and the edits that turn it into
// the present one lie under a key of their own, until they are too many.

import type { OrderedStore, StoreOperation, StoreView } from "../ground/store.ts";
import { seal, unseal } from "./checksum.ts";

/** Encodes the difference of two values. */
export interface EditsCodec<V> {
  /** Valid until the next value is encoded; undefined: the edits are so many or long that the whole value is written. */
  encode(whole: V, value: V): Uint8Array | undefined;
  /** The value that `bytes` make of `whole`, which stays as it is. Throws when the bytes are no edits of such a value. */
  apply(whole: V, bytes: Uint8Array): V;
}

export interface EditsOptions<V> {
  /** Of the keys of edits; the rest of a key is that of the value. */
  readonly prefix: string;
  readonly codec: EditsCodec<V>;
}

/** A value as the store holds it. */
export interface Held<V> {
  readonly value: V | undefined;
  /** The whole value in the store, where edits lie beside it. */
  readonly whole: V | undefined;
}

export interface Written<V> {
  readonly value: V | undefined;
  /** It is to be written without edits. */
  readonly isWhole: boolean;
}

/** The edits of one keyspace. */
export class Edits<V> {
  readonly #store: OrderedStore;
  readonly #prefix: string;
  readonly #codec: EditsCodec<V>;

  constructor(store: OrderedStore, { prefix, codec }: EditsOptions<V>) {
    this.#store = store;
    this.#prefix = prefix;
    this.#codec = codec;
  }

  keyOf(text: string): string {
    return this.#prefix + text;
  }

  read(text: string, view: StoreView | undefined): Uint8Array | undefined {
    return this.#store.getSync(this.keyOf(text), view);
  }

  apply(text: string, whole: V, sealed: Uint8Array): V {
    return this.#codec.apply(whole, unseal(this.keyOf(text), sealed));
  }

  /**
   * Appends the edits that make the new value of what the store holds.
   *
   * @returns the whole value in the store; undefined when the new one must be written whole, without edits beside it
   */
  append(operations: StoreOperation[], text: string, held: Held<V> | undefined, { value, isWhole }: Written<V>): V | undefined {
    const key = this.keyOf(text);
    const whole = held?.whole ?? held?.value;
    const edits = isWhole || whole === undefined || value === undefined ? undefined : this.#codec.encode(whole, value);
    if (edits !== undefined) {
      operations.push({ type: "put", key, value: seal(key, edits) });
      return whole;
    }
    // Edits without their value, which a damaged store may have, must not meet a new value.
    const mayLie = whole === undefined ? this.#store.getSync(key) !== undefined : held?.whole !== undefined;
    if (mayLie) operations.push({ type: "del", key });
    return undefined;
  }
}
