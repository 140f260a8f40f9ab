// One fact of an export: a value or a link of one node under one name.

import type { Uid } from "../../../core/storage.ts";

/** A fact as an export states it. Its value is still text: the schema decides what the text means. */
export interface Statement {
  readonly subject: Uid;
  /** The storage name, without a language tag. */
  readonly predicate: string;
  /** The tag of a text in one language; undefined: none. */
  readonly language: string | undefined;
  /** A value, or the node at the other side of a link. */
  readonly object: Literal | NodeLink;
  readonly namespace: number;
  /** Values on the fact itself, as written; undefined: none. GraphQL does not show them. */
  readonly facets: string | undefined;
}

export interface Literal {
  readonly kind: "literal";
  readonly text: string;
}

export interface NodeLink {
  readonly kind: "link";
  readonly to: Uid;
}

/** Why a line is no statement. */
export class UnreadableLine extends Error {
  override readonly name = "UnreadableLine";
}

/**
 * The uid that `digits` spell in hexadecimal.
 *
 * @throws UnreadableLine for 0 and for uids beyond 2^53 - 1, which no node can have here
 */
export function uidOf(digits: string): Uid {
  const uid = Number.parseInt(digits, 16);
  if (Number.isSafeInteger(uid) && uid > 0) return uid;
  throw new UnreadableLine(`The uid 0x${digits} is not between 0x1 and 0x1fffffffffffff.`);
}
