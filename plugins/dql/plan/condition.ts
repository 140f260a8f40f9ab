// Turns functions and filters into predicates of the storage contract, which are pushed down with their indexes. Variables that a filter reads are
// known when it is planned, so they become sets of nodes.

import {
  all,
  and,
  type ComparedField,
  mergeAlternatives,
  mergeConjuncts,
  none,
  not,
  or,
  type Predicate,
  parseUid,
  type TypeName,
  type Uid,
  type Work,
} from "../../../core/plugin.ts";
import { textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Argument, Call, Filter } from "../language/syntax.ts";
import { type Catalog, namesOfUntyped } from "../schema/catalog.ts";
import { fieldsOf } from "../schema/languages.ts";
import { nodesOf, sortedSet, type Variable } from "../state/variables.ts";
import { compareField } from "./compare.ts";
import type { At, ConditionContext, FieldAbout } from "./context.ts";
import { countCondition } from "./count.ts";
import { geoCondition } from "./geo.ts";
import { matchCondition, regexpCondition, wordsCondition } from "./text.ts";
import { argumentTexts, assertShort } from "./texts.ts";
import { lengthCondition, valueNodes } from "./value-variable.ts";

/** What a block starts from. */
export type RootSet =
  /** Nodes by uid, ascending or in path order. `given`: some are literals, which may not exist. */
  | { readonly kind: "uids"; readonly uids: readonly Uid[]; readonly given: boolean; readonly inPathOrder: boolean }
  | { readonly kind: "find"; readonly types: readonly TypeName[]; readonly where: Predicate };

export function* rootSetOf(call: Call, context: ConditionContext): Work<RootSet> {
  const { catalog } = context;
  const { name, subject } = call;
  if (name === "uid") return uidSet(call, context);
  if (name === "type") return { kind: "find", types: catalog.membersOf(typeName(call, context)), where: all };
  if (name === "similar_to") return { kind: "uids", uids: context.nearest.get(call) ?? [], given: false, inPathOrder: false };
  if (name === "uid_in") throw refusal("uid_in function not allowed at root");
  if (subject.kind === "length") return { kind: "find", types: [], where: none };
  if (subject.kind === "val") return { kind: "uids", uids: sortedSet(valueNodes(call, subject.variable, context)), given: false, inPathOrder: false };
  const where = yield* conditionOfCall(call, "root", context);
  return { kind: "find", types: where.kind === "none" ? [] : holdersOf(call, catalog), where };
}

/** The types whose nodes a function can hold for: a smaller search than all types. */
function holdersOf({ subject }: Call, catalog: Catalog): readonly TypeName[] {
  if (subject.kind !== "predicate" && subject.kind !== "count") return catalog.types;
  const { name } = subject.predicate;
  if (name === "dgraph.type") return catalog.types;
  const meaning = catalog.meaningOf(name);
  if (meaning.kind === "edge") return catalog.types.filter((type) => namesOfUntyped(type) !== undefined || meaning.end.types.includes(type));
  const holders = [name, ...(catalog.languagesOf(name) ?? []).map((tag) => `${name}@${tag}`)].flatMap((field) => catalog.holdersOf(field));
  return holders.length === 0 ? catalog.types : [...new Set(holders)];
}

function uidSet({ arguments: items }: Call, { inputs, variables }: ConditionContext): RootSet {
  const [only] = items;
  if (only?.kind === "uids" && items.length === 1) {
    const variable = variables.get(only.variable);
    return { kind: "uids", uids: nodesOf(variable), given: false, inPathOrder: variable?.kind === "uids" && variable.inPathOrder === true };
  }
  const given = items.some((item) => item.kind === "text" || item.kind === "variable");
  return { kind: "uids", uids: uidsOf(items, { inputs, variables }), given, inPathOrder: false };
}

/** The union of literals and variables, ascending. The values of a variable (`uid(val(v))`) are no nodes. */
function uidsOf(items: readonly Argument[], { inputs, variables }: Pick<ConditionContext, "inputs" | "variables">): readonly Uid[] {
  const uids: Uid[] = [];
  for (const item of items) {
    if (item.kind === "uids") for (const uid of nodesOf(variables.get(item.variable))) uids.push(uid);
    else if (item.kind === "text") uids.push(uidOf(item.text));
    else if (item.kind === "variable") for (const text of listedUids(textOf(item, inputs))) uids.push(uidOf(text));
  }
  return sortedSet(uids);
}

/** A query variable holds `0x1` or `[0x1, 0x2]`. */
function listedUids(text: string): readonly string[] {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1];
  if (inner === undefined) return [text.trim()];
  return inner.trim() === "" ? [] : inner.split(",").map((each) => each.trim());
}

function uidOf(text: string): Uid {
  const uid = /^(0[xX][0-9a-fA-F]+|\d+)$/.test(text)
    ? parseUid(text.startsWith("0x") || text.startsWith("0X") ? text : String(BigInt(text)))
    : undefined;
  if (uid !== undefined) return uid;
  if (/^(0[xX][0-9a-fA-F]+|\d+)$/.test(text)) throw refusal(`The uid value ${JSON.stringify(text)} is too large.`);
  throw refusal(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
}

export function* conditionOf(filter: Filter, context: ConditionContext): Work<Predicate> {
  switch (filter.kind) {
    case "and":
      return and(...mergeConjuncts(yield* conditionsOf(filter.of, context), (name) => comparedField(name, context)));
    case "or":
      return or(...mergeAlternatives(yield* conditionsOf(filter.of, context), (name) => comparedField(name, context)));
    case "not":
      return not(yield* conditionOf(filter.of, context));
    case "call":
      return yield* conditionOfCall(filter, "filter", context);
  }
}

/** Many comparisons of one field are few for the storage. */
function comparedField(name: string, { catalog }: ConditionContext): ComparedField | undefined {
  const meaning = catalog.meaningOf(name);
  return meaning.kind === "value" ? meaning.field : undefined;
}

function* conditionsOf(filters: readonly Filter[], context: ConditionContext): Work<readonly Predicate[]> {
  const found: Predicate[] = [];
  for (const filter of filters) {
    found.push(yield* conditionOf(filter, context));
    yield;
  }
  return found;
}

function* conditionOfCall(call: Call, at: At, context: ConditionContext): Work<Predicate> {
  const { subject } = call;
  switch (subject.kind) {
    case "node":
      return call.name === "type" ? ofType(call, context) : anyOf(uidsOf(call.arguments, context));
    case "val":
      return anyOf(sortedSet(valueNodes(call, subject.variable, context)));
    case "length":
      return lengthCondition(call, subject.variable, context);
    case "count":
      return countCondition(call, subject.predicate, { where: subject.filter ? yield* conditionOf(subject.filter, context) : all, at, context });
    case "predicate":
      return yield* predicateCondition(call, at, context);
  }
}

function ofType(call: Call, context: ConditionContext): Predicate {
  const types = context.catalog.membersOf(typeName(call, context));
  return types.length === 0 ? none : { kind: "type", types };
}

function typeName({ arguments: [item] }: Call, { inputs }: ConditionContext): string {
  return item?.kind === "text" || item?.kind === "variable" ? textOf(item, inputs) : "";
}

export function anyOf(uids: readonly Uid[]): Predicate {
  return uids.length === 0 ? none : { kind: "uids", uids };
}

function* predicateCondition(call: Call, at: At, context: ConditionContext): Work<Predicate> {
  if (call.subject.kind !== "predicate") return none;
  const { catalog } = context;
  const { predicate } = call.subject;
  if (predicate.languages?.includes(":")) throw refusal(`A function looks at one language, not at the list ${predicate.name}@${predicate.languages}`);
  const meanings = fieldsOf(predicate, catalog).map((name) => catalog.meaningOf(name));
  const conditions: Predicate[] = [];
  for (const meaning of meanings) conditions.push(yield* meaningCondition(call, { meaning, at, context }));
  return or(...conditions);
}

interface About {
  readonly meaning: ReturnType<Catalog["meaningOf"]>;
  readonly at: At;
  readonly context: ConditionContext;
}

function* meaningCondition(call: Call, { meaning, at, context }: About): Work<Predicate> {
  const { name } = call;
  if (name === "similar_to") return anyOf(context.nearest.get(call) ?? []);
  if (name === "has") return hasCondition(call, meaning);
  if (name === "uid_in") return uidInCondition(call, { meaning, at, context });
  if (name === "anyof" || name === "allof") throw customTokenizer(call, context);
  const texts = argumentTexts(call, context);
  assertShort(call, texts, context.work?.values);
  switch (meaning.kind) {
    case "unknown":
    case "untagged":
      return none;
    case "types":
      return typesCondition(call, texts, context);
    case "edge":
      throw refusal(
        `Got error: Attribute ${meaning.end.name} is not valid scalar type while running: name:"${name}" args:${texts.map((each) => JSON.stringify(each)).join(" ")}`,
      );
    case "value":
      return yield* fieldCondition(call, { field: meaning.field, texts, at, context });
  }
}

function* fieldCondition(call: Call, about: FieldAbout): Work<Predicate> {
  switch (call.name) {
    case "allofterms":
    case "anyofterms":
    case "alloftext":
    case "anyoftext":
    case "ngram":
      return yield* wordsCondition(call, about);
    case "regexp":
      return regexpCondition(call, about);
    case "match":
      return matchCondition(call, about);
    case "near":
    case "within":
    case "contains":
    case "intersects":
      return geoCondition(call, about);
    default:
      return yield* compareField(call, about);
  }
}

function hasCondition(call: Call, meaning: About["meaning"]): Predicate {
  if (call.arguments.length > 0) throw refusal(`Function 'has' requires 0 arguments, but got ${call.arguments.length}`);
  switch (meaning.kind) {
    case "value":
      return { kind: "has", field: meaning.field.name };
    case "edge":
      return { kind: "linked", end: meaning.end.name, where: all, atLeast: 1 };
    case "types":
      return all;
    default:
      return none;
  }
}

function uidInCondition(call: Call, { meaning, context }: About): Predicate {
  if (call.arguments.length === 0) throw refusal("uid_in function expects an argument, got none");
  const uids = call.arguments.flatMap((item): readonly Uid[] => {
    const items = item.kind === "list" ? item.items : [item];
    return items.flatMap((each) => {
      if (each.kind === "uids") return setOf(context.variables.get(each.variable));
      if (each.kind === "val" || each.kind === "list") throw refusal("uid_in takes uids, or uid(v) of a variable");
      return listedUids(textOf(each, context.inputs)).map(uidInUid);
    });
  });
  return meaning.kind === "edge" && uids.length > 0 ? { kind: "linked", end: meaning.end.name, where: anyOf(sortedSet(uids)), atLeast: 1 } : none;
}

/** A value variable is no set of targets. */
function setOf(variable: Variable | undefined): readonly Uid[] {
  return variable?.kind === "uids" ? variable.uids : [];
}

function uidInUid(text: string): Uid {
  if (!/^(0[xX][0-9a-fA-F]+|\d+)$/.test(text)) throw refusal(`Value ${JSON.stringify(text)} in uid_in is not a number`);
  return uidOf(text);
}

/** `eq(dgraph.type, "Hive")`. */
function typesCondition({ name }: Call, texts: readonly string[], { catalog }: ConditionContext): Predicate {
  if (name !== "eq") throw refusal(`dgraph.type is compared with eq or type, not with ${name}`);
  const types = texts.flatMap((text) => catalog.membersOf(text));
  return types.length === 0 ? none : { kind: "type", types: [...new Set(types)] };
}

function customTokenizer(call: Call, { inputs }: ConditionContext) {
  const [item] = call.arguments;
  const tokenizer = item?.kind === "text" || item?.kind === "variable" ? textOf(item, inputs) : "";
  const name = call.subject.kind === "predicate" ? call.subject.predicate.name : "";
  return refusal(`Attribute ${name} is not indexed with custom tokenizer ${tokenizer}`);
}
