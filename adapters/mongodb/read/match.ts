// Compiles a predicate to a filter on the documents of one type. Where MongoDB cannot decide exactly, the filter is weaker and the matcher decides.

import type { Document } from "mongodb";
import type { And, Compare, Linked, Predicate, TypeName, Value } from "../../../core/storage.ts";
import { type FieldRuntime, type LayoutRuntime, linkPropertyOf, storedToken } from "../layout/layout-runtime.ts";
import { tokensProperty } from "../layout/names.ts";
import { operandOf } from "../layout/values.ts";
import type { Joined } from "./semi-join-result.ts";

/** `true`: all documents, `false`: none. */
export interface Match {
  readonly filter: Document | boolean;
  /** False: the filter matches more than the predicate. */
  readonly exact: boolean;
}

export interface MatchFacts {
  readonly schema: LayoutRuntime;
  /** The results of the semi-joins and of the look-ups by key inside. */
  readonly joined: Joined;
}

const everything: Match = { filter: true, exact: true };
const nothing: Match = { filter: false, exact: true };
const unknown: Match = { filter: true, exact: false };

/** More uids than this are filtered by range and compared here: a command takes 16 MB. */
const uidsInFilter = 100_000;

export function compileMatch(predicate: Predicate, type: TypeName, facts: MatchFacts): Match {
  switch (predicate.kind) {
    case "all":
      return everything;
    case "none":
      return nothing;
    case "and":
      return conjunction([...keyed(predicate, type, facts), ...predicate.of.map((each) => compileMatch(each, type, facts))]);
    case "or":
      return disjunction(predicate.of.map((each) => compileMatch(each, type, facts)));
    case "not":
      return complement(compileMatch(predicate.of, type, facts));
    case "type":
      return predicate.types.includes(type) ? everything : nothing;
    case "uids":
      return among("_id", predicate.uids);
    case "after":
      return { filter: { _id: { $gt: predicate.uid } }, exact: true };
    case "has": {
      const field = facts.schema.fields.get(predicate.field);
      return field === undefined ? nothing : present(field, type);
    }
    case "compare": {
      const field = facts.schema.fields.get(predicate.field);
      const [byKey] = keyed(predicate, type, facts);
      return byKey ?? (field === undefined ? nothing : compare(predicate, field, type));
    }
    case "lookup": {
      const index = facts.schema.indexes.get(predicate.index);
      if (predicate.tokens.length === 0) return nothing;
      if (index?.by !== "tokens") return unknown;
      const tokens = predicate.tokens.map((token) => storedToken(index, token));
      return { filter: { [tokensProperty]: predicate.match === "any" ? { $in: tokens } : { $all: tokens } }, exact: true };
    }
    case "check": {
      const field = facts.schema.fields.get(predicate.field);
      if (field === undefined) return nothing;
      const within = predicate.within === undefined ? present(field, type) : compileMatch(predicate.within, type, facts);
      return { ...within, exact: within.filter === false };
    }
    case "linked":
      return joinedMatch(predicate, type, facts);
  }
}

export function conjunction(parts: readonly Match[]): Match {
  if (parts.some((part) => part.filter === false && part.exact)) return nothing;
  const filters = parts.flatMap((part) => (typeof part.filter === "object" ? [part.filter] : []));
  const exact = parts.every((part) => part.exact);
  if (filters.length === 0) return { filter: true, exact };
  return { filter: filters.length === 1 ? (filters[0] ?? true) : { $and: filters }, exact };
}

function disjunction(parts: readonly Match[]): Match {
  const exact = parts.every((part) => part.exact);
  if (parts.some((part) => part.filter === true)) return { filter: true, exact: exact || parts.some((part) => part.filter === true && part.exact) };
  const filters = parts.flatMap((part) => (typeof part.filter === "object" ? [part.filter] : []));
  if (filters.length === 0) return { filter: false, exact };
  return { filter: filters.length === 1 ? (filters[0] ?? false) : { $or: filters }, exact };
}

function complement({ filter, exact }: Match): Match {
  if (!exact) return unknown;
  return { filter: typeof filter === "boolean" ? !filter : { $nor: [filter] }, exact };
}

/** @param uids ascending */
function among(property: string, uids: readonly number[]): Match {
  if (uids.length === 0) return nothing;
  if (uids.length === 1) return { filter: { [property]: uids[0] }, exact: true };
  if (uids.length <= uidsInFilter) return { filter: { [property]: { $in: [...uids] } }, exact: true };
  return { filter: { [property]: { $gte: uids[0], $lte: uids.at(-1) } }, exact: false };
}

function present(field: FieldRuntime, type: TypeName): Match {
  return { filter: { [field.property(type)]: { $exists: true } }, exact: true };
}

function compare({ op, operands }: Compare, field: FieldRuntime, type: TypeName): Match {
  if (op === "in" && operands.length === 0) return nothing;
  if (field.converted) return { ...present(field, type), exact: false };
  const values = operands.map((each: Value) => operandOf(field.kind, each));
  if (op !== "in" && values.includes(undefined)) return nothing;
  const path = field.path(type);
  const [first, second] = values;
  switch (op) {
    case "eq":
      return { filter: { [path]: { $eq: first } }, exact: true };
    case "in":
      return { filter: { [path]: { $in: values.filter((value) => value !== undefined) } }, exact: true };
    case "lt":
      return { filter: { [path]: { $lt: first } }, exact: true };
    case "le":
      return { filter: { [path]: { $lte: first } }, exact: true };
    case "gt":
      return { filter: { [path]: { $gt: first } }, exact: true };
    case "ge":
      return { filter: { [path]: { $gte: first } }, exact: true };
    case "between":
      return second === undefined ? nothing : between(field, type, { $gte: first, $lte: second });
  }
}

/** One element meets both bounds. */
function between(field: FieldRuntime, type: TypeName, bounds: Document): Match {
  if (!field.list) return { filter: { [field.path(type)]: bounds }, exact: true };
  const element = field.kind === "dateTime" ? { utc: bounds } : bounds;
  const filter = { [field.property(type)]: { $elemMatch: element } };
  if (!field.onceSingle) return { filter, exact: true };
  const bare = { $and: [{ [field.path(type)]: bounds }, { [field.property(type)]: { $not: { $type: "array" } } }] };
  return { filter: { $or: [filter, bare] }, exact: true };
}

/** The nodes that a key's own collection has named; empty: it was not asked about this type. */
function keyed(predicate: Compare | And, type: TypeName, { joined }: MatchFacts): readonly Match[] {
  const found = joined.get(predicate);
  return found?.by === "key" && found.types.has(type) ? [among("_id", found.uids.get(type) ?? [])] : [];
}

function joinedMatch(predicate: Linked, type: TypeName, { schema, joined }: MatchFacts): Match {
  const end = schema.ends.get(predicate.end);
  const found = joined.get(predicate);
  if (end === undefined || found === undefined || !end.types.has(type)) return nothing;
  if (found.by === "uid") return among("_id", found.uids);
  if (found.by === "probe") return probed(found.properties, found.atLeast);
  if (found.by === "key") return unknown;
  const property = linkPropertyOf(end.store, type);
  return found.partners === "any" ? { filter: { [property]: { $exists: true } }, exact: true } : among(property, found.partners);
}

/** The nodes that each property lists: their number decides. */
function probed(properties: readonly string[], atLeast: number): Match {
  const [only, ...others] = properties;
  if (only === undefined) return nothing;
  if (others.length === 0 || atLeast === 1) {
    const enough = properties.map((property) => ({ [`${property}.${atLeast - 1}`]: { $exists: true } }));
    return { filter: others.length === 0 ? { ...enough[0] } : { $or: enough }, exact: true };
  }
  return { filter: { $expr: { $gte: [{ $add: properties.map((property) => ({ $size: `$${property}` })) }, atLeast] } }, exact: true };
}
