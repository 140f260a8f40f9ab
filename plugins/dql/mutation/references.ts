// How texts name nodes.

import { parseUid } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { Reference } from "./syntax.ts";

/** `0x1f`, `31` or `_:name`. */
export function referenceOf(text: string): Reference {
  if (text.startsWith("_:")) return blankOf(text.slice(2));
  return { kind: "uid", uid: uidOf(text) };
}

export function blankOf(name: string): Reference {
  if (name === "" || /[\s<>"{}()]/u.test(name)) throw refusal(`Invalid name of a blank node: _:${name}`);
  return { kind: "blank", name };
}

const digits = /^(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[0-9]+)$/;

function uidOf(text: string): number {
  const uid = parseUid(text);
  if (uid === undefined && digits.test(text)) throw refusal(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`);
  if (uid === undefined) throw refusal(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (uid > 0) return uid;
  if (/[1-9a-fA-F]/.test(text.replace(/^0[xX]/, ""))) throw beyondLease(text, undefined);
  throw refusal(`UID must to be greater than 0`);
}

/** @param lease the largest uid that a mutation may name */
export function beyondLease(uid: string | number, lease: number | undefined) {
  const most = lease === undefined ? "" : `: [${lease}]`;
  return refusal(`Uid: [${uid}] cannot be greater than lease${most}`);
}
