// Documents that a transaction reads by uid or key are read whole and kept: a write of the node, and another read of it, need no round trip. What it
// wrote answers the first reads after its commit.

import type { FieldName, Predicate, TypeName, Uid } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";

export interface KeptDocuments {
  /** Whether `keep` keeps documents, so that reads of few should read them whole. */
  readonly keeps: boolean;
  /** The node as this transaction sees it. `gone`: it is known that there is none. Undefined: unknown. */
  kept(uid: Uid, type: TypeName): Doc | "gone" | undefined;
  keep(type: TypeName, doc: Doc): void;
}

/** Reads of more nodes than this take what they need of each, as large updates and deletes go slice by slice. */
const mostWhole = 100;

export function isFew(uids: readonly Uid[]): boolean {
  return uids.length <= mostWhole;
}

/** Whether `where` names so few nodes, by uid or by a unique key, that their documents are read whole. */
export function namesFew(where: Predicate, schema: LayoutRuntime): boolean {
  switch (where.kind) {
    case "uids":
      return isFew(where.uids);
    case "compare":
      return (where.op === "eq" || where.op === "in") && where.operands.length <= mostWhole && isKey(where.field, schema);
    case "and":
      return where.of.some((each) => namesFew(each, schema));
    default:
      return false;
  }
}

/** Whether no two nodes of `type` can satisfy `where`: it names one by uid or by a unique key. */
export function namesOne(where: Predicate, type: TypeName, schema: LayoutRuntime): boolean {
  switch (where.kind) {
    case "uids":
      return where.uids.length <= 1;
    case "compare":
      return where.op === "eq" && where.operands.length === 1 && isKey(where.field, schema, type);
    case "and":
      return where.of.some((each) => namesOne(each, type, schema));
    default:
      return false;
  }
}

/** The uids to which `where` is limited; undefined: it names none, or many. */
export function uidsIn(where: Predicate): readonly Uid[] | undefined {
  if (where.kind === "uids") return isFew(where.uids) ? where.uids : undefined;
  return where.kind === "and" ? where.of.map(uidsIn).find((uids) => uids !== undefined) : undefined;
}

function isKey(name: FieldName, { keys }: LayoutRuntime, type?: TypeName): boolean {
  return keys.some(
    ({ fields, ends, types }) => fields.length + ends.length === 1 && fields[0]?.name === name && (type === undefined || types.has(type)),
  );
}
