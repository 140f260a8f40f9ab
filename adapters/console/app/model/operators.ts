// The operators of each field: those of the generated filter, which have an index, and those for which all nodes are read.

import { type GraphQLInputType, getNamedType, getNullableType, isEnumType, isInputObjectType, isListType } from "graphql";
import type { Field, NodeType } from "./api-model.ts";

export interface Operator {
  readonly name: string;
  /** How people read it. */
  readonly sign: string;
  /** The operand of the generated filter. Undefined: no index answers it, so that all nodes are read. */
  readonly input: GraphQLInputType | undefined;
  readonly takes: "nothing" | "value" | "values" | "text" | "number";
}

const signs: Readonly<Record<string, string>> = {
  eq: "=",
  le: "≤",
  lt: "<",
  ge: "≥",
  gt: ">",
  in: "is one of",
  between: "between",
  regexp: "matches",
  contains: "contains",
  startsWith: "starts with",
  present: "has a value",
  empty: "has no value",
  countEq: "number =",
  countLt: "number <",
  countGt: "number >",
  allofterms: "has all words",
  anyofterms: "has a word of",
  alloftext: "is about all of",
  anyoftext: "is about",
};

/** What a condition of a count is called in the filter of a link. */
export const countOperators: Readonly<Record<string, string>> = { countEq: "eq", countLt: "lt", countGt: "gt" };

/** None: nothing can be asked of the field. */
export function operatorsOf(type: NodeType, field: Field): readonly Operator[] {
  const generated = indexedOperators(type, field);
  const names = new Set(generated.map(({ name }) => name));
  return [...generated, ...scannedOperators(field).filter(({ name }) => !names.has(name))];
}

export function operatorOf(type: NodeType, field: string, name: string): Operator | undefined {
  const found = type.fields.find((each) => each.name === field);
  return found && operatorsOf(type, found).find((each) => each.name === name);
}

/** Those that the generated filter has. */
export function indexedOperators({ filter }: NodeType, field: Field): readonly Operator[] {
  const fields = filter?.getFields() ?? {};
  const own = fields[field.name]?.type;
  return [...(own === undefined ? [] : field.kind === "link" ? linkOperators(own) : valueOperators(own)), ...presence(fields.has?.type, field)];
}

/** `has: [name, ...]` of a filter. */
function presence(has: GraphQLInputType | undefined, { name }: Field): readonly Operator[] {
  const names = getNamedType(has);
  const isKnown = isEnumType(names) && names.getValue(name) !== undefined;
  return isKnown ? (["present", "empty"] as const).map((each) => operator(each, { input: has, takes: "nothing" })) : [];
}

function valueOperators(type: GraphQLInputType): readonly Operator[] {
  const named = getNamedType(type);
  // An ID takes the values themselves.
  if (!isInputObjectType(named) || isListType(getNullableType(type)))
    return [operator("", { sign: isListType(getNullableType(type)) ? "is one of" : "=", input: type, takes: "values" })];
  return Object.values(named.getFields()).map((each) =>
    operator(each.name, { input: each.type, takes: isListType(getNullableType(each.type)) ? "values" : "value" }),
  );
}

/** The filter of a link that has `@search`. */
function linkOperators(type: GraphQLInputType): readonly Operator[] {
  const named = getNamedType(type);
  const count = isInputObjectType(named) ? named.getFields().count?.type : undefined;
  const counts = isInputObjectType(getNamedType(count)) ? Object.keys(countOperators) : [];
  return counts.map((name) => operator(name, { input: count, takes: "number" }));
}

function scannedOperators({ kind, named, isList, aggregate }: Field): readonly Operator[] {
  const scanned = (names: readonly string[], takes: Operator["takes"]) => names.map((name) => operator(name, { input: undefined, takes }));
  const has = scanned(["present", "empty"], "nothing");
  if (kind === "link") return isList ? [...(aggregate === undefined ? [] : scanned(Object.keys(countOperators), "number")), ...has] : has;
  if (kind === "geo" || kind === "file") return has;
  const texts = named === "String" || named === "ID" ? scanned(["contains", "startsWith", "regexp"], "text") : [];
  const ranges = named === "Boolean" || kind === "enum" || isList ? [] : scanned(["lt", "le", "ge", "gt"], "value");
  return [...scanned(["eq"], "value"), ...scanned(["in"], "values"), ...texts, ...ranges, ...has];
}

function operator(name: string, { sign, input, takes }: Pick<Operator, "input" | "takes"> & { readonly sign?: string }): Operator {
  return { name, sign: sign ?? signs[name] ?? name, input, takes };
}
