// Keys with a collection of their own: the unique index there finds the nodes that hold a value, as no index of their documents does.

import type { And, Compare, FieldName, Predicate, TypeName, Uid } from "../../../core/storage.ts";
import { type EndRuntime, type FieldRuntime, type KeyRuntime, keyTextOfParts, type LayoutRuntime } from "../layout/layout-runtime.ts";
import { keyCollection } from "../layout/names.ts";
import { equalityText } from "../layout/values.ts";
import type { Reader } from "./reader.ts";
import type { Joined, SemiJoinResult } from "./semi-join-result.ts";
import { slices } from "./slices.ts";

/** Whole values of a key, one of which a condition demands. */
export interface AskedKey {
  readonly key: KeyRuntime;
  readonly texts: readonly string[];
}

/** More combinations of parts are not looked up one by one. */
const mostTexts = 10_000;
/** Values of one command. */
const textsAtOnce = 1_000;
/** Up to this many may share a command with other reads of a transaction. */
const few = 100;

export interface KeyFacts {
  readonly schema: LayoutRuntime;
  /** What is known of links so far. */
  readonly joined: Joined;
}

/** Undefined: the condition names no whole value of such a key. */
export function askedKey(predicate: Compare | And, { schema, joined }: KeyFacts): AskedKey | undefined {
  const of = predicate.kind === "and" ? predicate.of : [predicate];
  for (const key of schema.keys) {
    const isOne = key.fields.length + key.ends.length === 1;
    if (key.native || isOne !== (predicate.kind === "compare")) continue;
    const texts = textsOf(key, of, joined);
    if (texts !== undefined) return { key, texts };
  }
  return undefined;
}

function textsOf(key: KeyRuntime, of: readonly Predicate[], joined: Joined): readonly string[] | undefined {
  let combined: readonly (readonly string[])[] = [[]];
  for (const part of [...key.fields, ...key.ends]) {
    const texts = "kind" in part ? valuesIn(of, part) : partnersIn(of, part, joined);
    if (texts === undefined || texts.length * combined.length > mostTexts) return undefined;
    combined = combined.flatMap((parts) => texts.map((text) => [...parts, text]));
  }
  return combined.flatMap((parts) => keyTextOfParts(parts) ?? []);
}

/** A list has one text for all its values. */
function valuesIn(of: readonly Predicate[], field: FieldRuntime): readonly string[] | undefined {
  const compare = field.list ? undefined : of.find((each) => isEquality(each, field.name));
  if (compare?.kind !== "compare") return undefined;
  return [...new Set(compare.operands.flatMap((each) => equalityText(field.kind, each) ?? []))];
}

function isEquality(predicate: Predicate, field: FieldName): boolean {
  return predicate.kind === "compare" && predicate.field === field && (predicate.op === "eq" || predicate.op === "in");
}

function partnersIn(of: readonly Predicate[], end: EndRuntime, joined: Joined): readonly string[] | undefined {
  for (const each of of) {
    if (each.kind !== "linked" || each.end !== end.name || each.atLeast !== 1) continue;
    if (each.where.kind === "uids") return each.where.uids.map(String);
    const found = joined.get(each);
    if (found?.by === "partner" && found.partners !== "any" && found.partners.length <= few) return found.partners.map(String);
  }
  return undefined;
}

/** The nodes that hold one of these values. */
export async function readKey(reader: Reader, { key, texts }: AskedKey): Promise<SemiJoinResult> {
  const uids = new Map<TypeName, Uid[]>();
  const take = ({ _id, type }: { readonly _id: unknown; readonly type?: unknown }) => {
    const known = uids.get(String(type));
    if (known === undefined) uids.set(String(type), [Number(_id)]);
    else known.push(Number(_id));
  };
  for (const slice of slices(texts, textsAtOnce)) {
    const match = { $match: { k: slice.length === 1 ? slice[0] : { $in: slice } } };
    await reader.each(keyCollection(key.id), [match, { $limit: slice.length }, { $project: { type: 1 } }], take, { few: texts.length <= few });
  }
  for (const list of uids.values()) list.sort((a, b) => a - b);
  return { by: "key", types: key.types, uids };
}
