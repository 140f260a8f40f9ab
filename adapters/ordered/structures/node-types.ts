// The type of each node, in chunks of 256 uids. Also answers whether a node exists.

import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";
import { uidText } from "../keyspaces/keys.ts";
import { type EntryView, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";
import { chunkOf, columnChunk } from "./column.ts";

const writer = new ByteWriter();

/** Chunks of one type share an array, which nothing changes: most chunks of a large store are such. */
class UniformChunks {
  readonly #arrays = new Map<number, Uint16Array>();

  of(id: number): Uint16Array {
    let ids = this.#arrays.get(id);
    if (ids === undefined) {
      ids = new Uint16Array(columnChunk).fill(id);
      this.#arrays.set(id, ids);
    }
    return ids;
  }

  has(ids: Uint16Array): boolean {
    return this.#arrays.get(ids[0] ?? 0) === ids;
  }
}

function encode(ids: Uint16Array): Uint8Array {
  for (let i = 0; i < columnChunk; ) {
    const id = ids[i] ?? 0;
    let end = i + 1;
    while (end < columnChunk && ids[end] === id) end++;
    writer.whole(id);
    writer.whole(end - i);
    i = end;
  }
  return writer.finish();
}

function decode(bytes: Uint8Array, uniform: UniformChunks): Uint16Array {
  const reader = new ByteReader(bytes);
  const first = reader.whole();
  const length = reader.whole();
  if (length === columnChunk) return uniform.of(first);
  const ids = new Uint16Array(columnChunk).fill(first, 0, length);
  for (let i = length; i < columnChunk && reader.more; ) {
    const id = reader.whole();
    const end = i + reader.whole();
    ids.fill(id, i, end);
    i = end;
  }
  return ids;
}

/** Run-length encoding: neighbours mostly have one type. */
function codecWith(uniform: UniformChunks): Codec<Uint16Array> {
  return {
    encode,
    decode: (bytes) => decode(bytes, uniform),
    copy: (ids) => ids.slice(),
    weigh: (ids) => (uniform.has(ids) ? 0 : columnChunk * 2 + 200),
  };
}

const noTypes = new Uint16Array(columnChunk);

export class NodeTypes {
  readonly chunks: Keyspace<number, Uint16Array>;

  constructor(host: KeyspaceHost, prefix: string) {
    this.chunks = new Keyspace(host, { prefix, textOf: uidText, codec: codecWith(new UniformChunks()) });
  }

  /** The id of a node's type; 0 where there is no node. */
  of(uid: number, view: EntryView): number {
    return (this.chunks.read(chunkOf(uid), view) ?? noTypes)[uid % columnChunk] ?? 0;
  }

  chunk(number: number, view: EntryView): Uint16Array {
    return this.chunks.read(number, view) ?? noTypes;
  }

  set(uid: number, id: number, view: EntryView): void {
    const number = chunkOf(uid);
    let ids = this.chunks.edit(number, view);
    if (ids === undefined) {
      ids = new Uint16Array(columnChunk);
      this.chunks.put(number, ids);
    }
    ids[uid % columnChunk] = id;
    if (id === 0 && ids.every((each) => each === 0)) this.chunks.put(number, undefined);
  }
}
