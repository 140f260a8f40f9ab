// Rows of nodes whose documents are in memory: those that a transaction has read whole or written.

import type { TypeName, Uid } from "../../../core/storage.ts";
import { isFew } from "./kept-documents.ts";
import type { Reader } from "./reader.ts";
import { Row } from "./rows.ts";

/** Undefined: of one of the nodes it is not known what is stored. */
export function keptRows({ documents, schema }: Reader, uids: readonly Uid[], types: readonly TypeName[]): ReadonlyMap<Uid, Row> | undefined {
  if (documents === undefined || !isFew(uids)) return undefined;
  const rows = new Map<Uid, Row>();
  for (const uid of uids) {
    const known = types.flatMap((type) => {
      const doc = documents.kept(uid, type);
      return doc === undefined ? [] : [{ type, doc }];
    });
    // A uid has one type for good.
    const [found] = known;
    if (found === undefined) return undefined;
    if (found.doc !== "gone") rows.set(uid, new Row(schema, found.type, found.doc));
  }
  return rows;
}
