// Records: all values of one node, packed with structures that all records share. A structure is written in the same batch as the first record
// that uses it, so that no crash can separate them.

import { Packr } from "msgpackr";
import type { Stored } from "../../../core/storage.ts";
import type { StoreOperation } from "../ground/store.ts";
import { seal, unseal } from "../keyspaces/checksum.ts";
import type { Codec } from "../keyspaces/codec.ts";
import { uidText } from "../keyspaces/keys.ts";
import { type Companion, damagedEntry, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";

/** Values by property; the empty name holds the id of the node's type. */
export type NodeRecord = { readonly [property: string]: Stored | undefined };
export type OpenRecord = { [property: string]: Stored | undefined };

export const typeProperty = "";

const maxSharedStructures = 1024;

export class Records implements Companion {
  readonly keyspace: Keyspace<number, NodeRecord>;
  readonly #structuresKey: string;
  #structures: object[] = [];
  #unsaved: Uint8Array | undefined;

  constructor(host: KeyspaceHost, prefix: string) {
    this.#structuresKey = `${prefix}s`;
    const plain = new Packr();
    const stored = (): object[] => {
      const saved = host.store.getSync(this.#structuresKey);
      return saved === undefined ? [] : this.#unsealed(host, saved, (bytes) => plain.unpack(bytes));
    };
    const packr = new Packr({
      maxSharedStructures,
      // Vectors are typed arrays.
      moreTypes: true,
      // Asked for a record with an unknown structure: where another thread writes, the store has newer ones.
      getStructures: () => {
        if (this.#unsaved === undefined) this.#structures = stored();
        return this.#structures;
      },
      saveStructures: (structures) => {
        this.#structures = structures;
        this.#unsaved = Uint8Array.from(plain.pack(structures));
      },
    });
    const codec: Codec<NodeRecord> = {
      // Packr does not reuse the buffer of a record.
      encode: (record) => packr.pack(record),
      decode(bytes) {
        const record = packr.unpack(bytes);
        if (typeof record?.[typeProperty] !== "number") throw new TypeError("the bytes are no record");
        return record;
      },
      copy: (record) => ({ ...record }),
      weigh: weighRecord,
    };
    this.keyspace = new Keyspace(host, { prefix: `${prefix}r`, textOf: uidText, codec, uidOf: (uid) => uid });
    this.#structures = stored();
    host.accompany(this);
  }

  #unsealed<T>(host: KeyspaceHost, sealed: Uint8Array, decode: (bytes: Uint8Array) => T): T {
    try {
      return decode(unseal(this.#structuresKey, sealed));
    } catch (cause) {
      throw damagedEntry(host.nameOf(this.#structuresKey), cause);
    }
  }

  append(operations: StoreOperation[]): void {
    if (this.#unsaved !== undefined) operations.push({ type: "put", key: this.#structuresKey, value: seal(this.#structuresKey, this.#unsaved) });
  }

  saved(): void {
    this.#unsaved = undefined;
  }

  close(): void {
    this.#unsaved = undefined;
    this.keyspace.close();
  }
}

export function typeIdOf(record: NodeRecord): number {
  return Number(record[typeProperty]);
}

function weighRecord(record: NodeRecord): number {
  let bytes = 64;
  for (const name in record) {
    const value = record[name];
    bytes += 8 + (value === undefined ? 0 : weighValue(value));
  }
  return bytes;
}

function weighValue(value: Stored): number {
  if (typeof value === "string") return 24 + value.length;
  if (typeof value !== "object") return 16;
  if (value instanceof Float32Array) return 160 + value.byteLength;
  return Array.isArray(value) ? value.reduce((sum, each) => sum + 8 + weighValue(each), 32) : JSON.stringify(value).length * 2;
}
