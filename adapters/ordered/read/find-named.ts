// Finds the few nodes that a condition names, by their ids or by a value whose list is short. Requests by key, payloads and look-ups of keys are such: a
// plan of clauses, streams and scans takes several times as long as reading them, and makes most of their garbage.

import {
  type Batch,
  type Compare,
  type FindRequest,
  isLasting,
  type LoadRequest,
  type Page,
  type Predicate,
  type Uid,
} from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import { equalityText } from "../structures/sort-keys.ts";
import { compileClause } from "./clauses.ts";
import { everyTest } from "./combined.ts";
import { equalityListsOf } from "./comparisons.ts";
import { askInTurns } from "./long-tests.ts";
import type { Reader } from "./reader.ts";
import { fewRows } from "./rows.ts";
import { ascending } from "./stream.ts";

/** More nodes are read by a scan, which prefetches and pauses. */
const fewNodes = 32;

const none: readonly Uid[] = [];

/** Undefined: the request does not name its nodes, or names many, or must pause: its reader has worked long, or a test may take long. */
export function findNamed(reader: Reader, request: FindRequest): Batch | undefined {
  const { types, where, order, nearest, after, page } = request;
  if (where !== undefined && isLasting(where)) return undefined;
  if (nearest !== undefined || after !== undefined || (order !== undefined && order.length > 0) || isFromEnd(page)) return undefined;
  if (where === undefined) return hasNone(reader, types) ? fewRows(reader, [], request.fields) : undefined;
  const found = namedBy(reader, where);
  if (found === undefined || found.uids.length > fewNodes || reader.mustPause) return undefined;
  reader.count(found.uids.length);
  const there = passing(reader, ofTypes(reader, found.uids, types), found.rest);
  return there && fewRows(reader, cut(there, page), request.fields);
}

/** The same for a load. */
export function loadFew(reader: Reader, { uids, types, fields }: LoadRequest): Batch | undefined {
  if (uids.length > fewNodes || reader.mustPause) return undefined;
  const there = ofTypes(reader, uids, types);
  reader.count(there.length);
  return fewRows(reader, there, fields);
}

/** Whether there are no nodes of these types: some that plugins keep are mostly empty, and asked for again and again. */
function hasNone({ schema, nodes, view }: Reader, types: FindRequest["types"]): boolean {
  return types.every((type) => nodes.byType.count(schema.typeIds.get(type) ?? 0, view) === 0);
}

function isFromEnd(page: Page | undefined): boolean {
  return page !== undefined && "last" in page;
}

interface Named {
  /** Ascending. */
  readonly uids: readonly Uid[];
  /** What they must satisfy besides, such as an access rule. */
  readonly rest: readonly Predicate[];
}

function namedBy(reader: Reader, where: Predicate): Named | undefined {
  if (where.kind !== "and") return named(reader, where, noParts);
  for (const part of where.of) {
    const found = isLasting(part) ? undefined : named(reader, part, where.of);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @param parts of the conjunction that `where` is one of */
function named(reader: Reader, where: Predicate, parts: readonly Predicate[]): Named | undefined {
  const uids = where.kind === "uids" ? where.uids : where.kind === "compare" ? holdersOf(reader, where) : undefined;
  return uids && { uids, rest: parts.filter((part) => part !== where) };
}

const noParts: readonly Predicate[] = [];

/** Undefined: a test may take long. */
function passing(reader: Reader, uids: readonly Uid[], rest: readonly Predicate[]): readonly Uid[] | undefined {
  if (uids.length === 0 || rest.length === 0) return uids;
  const test = everyTest(rest.map((part) => compileClause(reader, part)));
  if (test.inTurns === undefined) return uids.filter(test);
  const answers = uids.map((uid) => askInTurns(test, uid));
  return answers.every((answer) => typeof answer === "boolean") ? uids.filter((_, i) => answers[i]) : undefined;
}

function holdersOf(reader: Reader, predicate: Compare): readonly Uid[] | undefined {
  if (predicate.operands.length > fewNodes) return undefined;
  const field = reader.field(predicate.field);
  const lists = equalityListsOf(field, predicate);
  if (lists === undefined) return undefined;
  const holders: Uid[] = [];
  for (const operand of predicate.operands) {
    const text = equalityText(field.kind, operand);
    const uids = text === undefined ? none : lists.short(boundedText(text), reader.view);
    if (uids === undefined || holders.length + uids.length > fewNodes) return undefined;
    for (const uid of uids) holders.push(uid);
  }
  return holders.length < 2 ? holders : ascending(holders);
}

function ofTypes(reader: Reader, uids: readonly Uid[], types: FindRequest["types"]): readonly Uid[] {
  return uids.filter((uid) => types.includes(reader.typeOf(uid) ?? ""));
}

function cut(uids: readonly Uid[], page: Page | undefined): readonly Uid[] {
  if (page === undefined || "last" in page) return uids;
  const { offset = 0, first = uids.length } = page;
  return offset === 0 && first >= uids.length ? uids : uids.slice(offset, offset + first);
}
