// Conditions on the type of a node.

import type { TypeName } from "../../../core/storage.ts";
import { chunkOf } from "../structures/column.ts";
import { type Clause, ofStream, type Test } from "./clause.ts";
import type { Reader } from "./reader.ts";
import { unionOf } from "./stream.ts";

/** Nodes of these types. */
export function ofTypes(reader: Reader, types: readonly TypeName[]): Clause {
  const ids = types.map((type) => reader.schema.typeIds.get(type) ?? 0);
  const clause = ofStream(unionOf(ids.map((id) => reader.nodes.byType.open(id, reader.view))), types);
  return { ...clause, exactCount: clause.estimate, tester: () => typeTest(reader, ids), typesOnly: types };
}

export function typeTest(reader: Reader, ids: readonly number[]): Test {
  let near = Number.NaN;
  let chunk: Uint16Array | undefined;
  return (uid) => {
    const number = chunkOf(uid);
    if (number !== near) {
      near = number;
      chunk = reader.nodes.types.chunk(number, reader.view);
    }
    const id = chunk?.[uid & 255] ?? 0;
    return id !== 0 && ids.includes(id);
  };
}
