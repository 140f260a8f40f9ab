// The links of a node in each layer of a graph, as uids.

import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";

/** By layer, from the lowest; a node is in all layers up to its level. Links go both ways. */
export type Layers = number[][];

const writer = new ByteWriter();

export const layersCodec: Codec<Layers> = {
  encode(layers) {
    writer.whole(layers.length);
    for (const uids of layers) {
      writer.whole(uids.length);
      writer.wholes(uids);
    }
    return writer.finish();
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const layers = Array.from({ length: reader.whole() }, () => reader.wholes(reader.whole()));
    reader.end();
    return layers;
  },
  copy: (layers) => layers.map((uids) => uids.slice()),
  weigh: (layers) => layers.reduce((sum, uids) => sum + 40 + uids.length * 8, 40),
};

/** The graph of all vectors of one length, and where a search of it begins. */
export interface Head {
  readonly length: number;
  /** A node of the highest layer. 0: it is gone, and no other one is known. */
  readonly entry: number;
  readonly count: number;
  /** Other nodes of high layers, which can take the entry's place. */
  readonly spares: readonly number[];
}

export const headsCodec: Codec<readonly Head[]> = {
  encode(heads) {
    writer.whole(heads.length);
    for (const { length, entry, count, spares } of heads) {
      writer.wholes([length, entry, count, spares.length]);
      writer.wholes(spares);
    }
    return writer.finish();
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const heads = Array.from({ length: reader.whole() }, (): Head => {
      const [length = 0, entry = 0, count = 0, spares = 0] = reader.wholes(4);
      return { length, entry, count, spares: reader.wholes(spares) };
    });
    reader.end();
    return heads;
  },
  copy: (heads) => heads.slice(),
  weigh: (heads) => heads.reduce((sum, { spares }) => sum + 80 + spares.length * 8, 40),
};
