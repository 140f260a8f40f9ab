// A conjunction that gives all parts of a key of several fields and links names its nodes: they are read from the key's lists, where each part alone
// may have many nodes.

import type { Compare, Linked, Predicate, Uid } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { FieldRuntime, KeyRuntime } from "../layout/layout-runtime.ts";
import { equalityText } from "../structures/sort-keys.ts";
import { type Clause, ofStream } from "./clause.ts";
import { equalityListsOf } from "./comparisons.ts";
import type { Reader } from "./reader.ts";
import { type Stream, unionOf } from "./stream.ts";

/** More combinations are not worth a look at each. */
const fewTexts = 1_024;

/** The nodes that hold what `parts` demand, of a key that covers all nodes with its first field; undefined: `parts` name no such key whole. */
export function keyProbe(reader: Reader, parts: readonly Predicate[]): Clause | undefined {
  const found = reader.schema.compoundKeys.length === 0 || parts.length < 2 ? undefined : probed(reader, parts);
  return found && ofStream(unionOf(found.lists), found.key.fields[0]?.types);
}

interface Probed {
  readonly key: KeyRuntime;
  readonly lists: readonly Stream[];
}

function probed(reader: Reader, parts: readonly Predicate[]): Probed | undefined {
  for (const keys of reader.schema.compoundKeys) {
    const [key] = keys;
    const texts = key && textsOf(reader, key, parts);
    if (key && texts) return { key, lists: keys.flatMap(({ lists }) => texts.map((text) => lists.open(text, reader.view))) };
  }
  return undefined;
}

/** The texts under which a key's lists keep what `parts` demand. */
function textsOf(reader: Reader, key: KeyRuntime, parts: readonly Predicate[]): readonly string[] | undefined {
  let texts: readonly (readonly string[])[] = [[]];
  for (const part of [...key.fields, ...key.ends]) {
    const choice = "kind" in part ? valueTexts(part, parts) : partnersIn(reader, parts, part.name)?.map(String);
    if (choice === undefined || texts.length * choice.length > fewTexts) return undefined;
    texts = texts.flatMap((text) => choice.map((each) => [...text, each]));
  }
  return [...new Set(texts.map((each) => boundedText(JSON.stringify(each))))];
}

function valueTexts({ name, kind }: FieldRuntime, parts: readonly Predicate[]): readonly string[] | undefined {
  return valuesIn(parts, name)?.flatMap((value) => equalityText(kind, value) ?? []);
}

function valuesIn(parts: readonly Predicate[], field: string): Compare["operands"] | undefined {
  const found = parts.find((part): part is Compare => part.kind === "compare" && part.field === field && (part.op === "eq" || part.op === "in"));
  return found?.operands;
}

function partnersIn(reader: Reader, parts: readonly Predicate[], end: string): readonly Uid[] | undefined {
  const found = parts.find((part): part is Linked => part.kind === "linked" && part.end === end && part.atLeast === 1);
  return found && namedUids(reader, found.where);
}

/** The uids that a condition allows at most; undefined: it does not say. */
function namedUids(reader: Reader, where: Predicate): readonly Uid[] | undefined {
  switch (where.kind) {
    case "uids":
      return where.uids;
    case "and":
      return where.of.map((part) => namedUids(reader, part)).find((each) => each !== undefined) ?? probedUids(reader, where.of);
    case "compare":
      return holdersOf(reader, where);
    default:
      return undefined;
  }
}

function probedUids(reader: Reader, parts: readonly Predicate[]): readonly Uid[] | undefined {
  const lists = probed(reader, parts)?.lists;
  return lists?.flatMap((list) => Array.from({ length: list.chunkCount }, (_, i) => list.chunk(i)).flat());
}

function holdersOf(reader: Reader, where: Compare): readonly Uid[] | undefined {
  const field = reader.field(where.field);
  const lists = equalityListsOf(field, where);
  if (lists === undefined || where.operands.length > fewTexts) return undefined;
  const uids: Uid[] = [];
  for (const operand of where.operands) {
    const text = equalityText(field.kind, operand);
    const held = text === undefined ? [] : lists.short(boundedText(text), reader.view);
    if (held === undefined || uids.length + held.length > fewTexts) return undefined;
    uids.push(...held);
  }
  return uids;
}
