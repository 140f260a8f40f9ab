// Validates hook results against the contract. The cost of a check is proportional to the result; an empty result costs nothing.

import type { NodeType, ValueField } from "../../contracts/model.ts";
import type { ComputedAnswer, Parent } from "../../contracts/plugin/computed-field.ts";
import type { FieldMask, Hooks, ShownField } from "../../contracts/plugin/hooks.ts";
import type { InputObject } from "../../contracts/plugin/mutation-hooks.ts";
import type { Permissions } from "../../contracts/plugin/permissions.ts";
import type { RequestView } from "../../contracts/plugin/request-view.ts";
import type { AnswerError, LookupPart, RootAnswer } from "../../contracts/plugin/root-answer.ts";
import type { RootField } from "../../contracts/plugin/root-field.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import { isObject } from "../../ground/is-object.ts";
import { PluginFault, type PluginPlace } from "../../ground/plugin-fault.ts";
import { fitsKind } from "../../ground/values/convert.ts";
import type { AnswerValue, Json, Stored, Value } from "../../ground/values/value.ts";
import { holdsList } from "../model/holds-list.ts";

type Changed = Awaited<ReturnType<NonNullable<Hooks["values"]>>>;

const changeNames: readonly string[] = ["values", "whenCreated", "whenUpdated", "refuse"];

export function checkInputChanges(place: PluginPlace, changes: Changed, [input]: readonly [InputObject, RequestView]): Changed {
  if (changes === undefined) return changes;
  if (!isObject(changes)) throw new PluginFault(place, "it must return changes of the input object, or undefined.");
  for (const name of Object.keys(changes)) {
    if (!changeNames.includes(name)) throw new PluginFault(place, `it returns "${name}", which is unknown; it takes ${changeNames.join(", ")}.`);
  }
  checkEntries(place, changes.values, { input, part: "values" });
  checkEntries(place, changes.whenCreated, { input, part: "whenCreated" });
  checkEntries(place, changes.whenUpdated, { input, part: "whenUpdated" });
  return changes;
}

interface Entries {
  readonly input: InputObject;
  readonly part: "values" | "whenCreated" | "whenUpdated";
}

function checkEntries(place: PluginPlace, entries: unknown, { input, part }: Entries): void {
  if (entries === undefined) return;
  if (!(entries instanceof Map)) throw new PluginFault(place, `${part} must be a Map of values by field name.`);
  const { type, values } = input;
  for (const [name, value] of entries) {
    // Values of the input are validated already.
    if (value !== undefined && values.get(name) === value) continue;
    const field = type.fields.get(name);
    if (field?.role !== "value") throw new PluginFault(place, `${part} names ${type.name}.${name}, which is no field that holds values.`);
    if (value === null && part === "values") continue;
    if (!fitsField(field, value)) {
      throw new PluginFault(place, `${part} gives ${type.name}.${name} ${shown(value)}, which is no ${typeOf(field)}.`);
    }
  }
}

export function checkShown(place: PluginPlace, value: Stored | undefined, { field }: ShownField): Stored | undefined {
  if (value === undefined || fitsField(field, value)) return value;
  throw new PluginFault(place, `it shows what is no ${typeOf(field)}.`);
}

/** Whether a field can store `value` without conversion. */
export function fitsField(field: Pick<ValueField, "kind" | "enum" | "type">, value: unknown): boolean {
  if (holdsList(field)) return Array.isArray(value) && value.every((each) => fitsOne(field, each));
  return fitsOne(field, value);
}

function fitsOne({ kind, enum: named }: Pick<ValueField, "kind" | "enum">, value: unknown): boolean {
  if (!isValue(value)) return false;
  return fitsKind(kind, value) && (named === undefined || named.values.has(String(value)));
}

/** Geometries are checked no further: the store keeps them unchanged. */
function isValue(value: unknown): value is Value {
  if (value instanceof Float32Array) return true;
  if (typeof value === "object") return value !== null && "coordinates" in value && Array.isArray(value.coordinates);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || typeof value === "bigint";
}

function typeOf({ type }: Pick<ValueField, "type">): string {
  return type.list ? `list of ${type.name}` : type.name;
}

export function checkOperand(place: PluginPlace, result: Value, [field, value]: readonly [ValueField, Value]): Value {
  if (result === undefined || result === value || fitsOne(field, result)) return result;
  throw new PluginFault(place, `it gives ${shown(result)} to compare ${field.owner.name}.${field.name} with, which is no ${field.type.name}.`);
}

type Facts = Readonly<Record<string, Json>>;

export function checkFacts(place: PluginPlace, facts: Facts): Facts {
  if (!isObject(facts)) throw new PluginFault(place, `it must return facts by name, and returns ${shown(facts)}.`);
  const { claims } = facts;
  if (claims === undefined || isObject(claims)) return facts;
  throw new PluginFault(place, `its "claims" must be a plain object, and are ${shown(claims)}. Leave them out for a caller without any.`);
}

export function checkPermissions(place: PluginPlace, given: Permissions | undefined): Permissions | undefined {
  if (given === undefined || (isObject(given) && typeof given.mayRead === "function" && typeof given.checkWrites === "function")) return given;
  throw new PluginFault(place, `it must return { mayRead, checkWrites } or undefined, and returns ${shown(given)}.`);
}

type Verdict = Predicate | "deny" | undefined;

/** @param args the arguments of `narrow` or `visible` */
export function checkVerdict<A extends Parameters<NonNullable<Hooks["narrow"]>> | Parameters<FieldMask["visible"]>>(
  place: PluginPlace,
  verdict: Verdict,
  args: A,
): Verdict {
  if (verdict === undefined || verdict === "deny" || (isObject(verdict) && typeof verdict.kind === "string")) return verdict;
  const [about] = args;
  const of = isNodeType(about) ? ` of ${about.name}` : "";
  throw new PluginFault(place, `it must return a predicate, "deny" or undefined${of}, and returns ${shown(verdict)}.`);
}

function isNodeType(about: NodeType | RequestView): about is NodeType {
  return "fields" in about;
}

export function checkRootAnswer(place: PluginPlace, answer: RootAnswer, { type, members }: RootField): RootAnswer {
  if (members) return checkLookups(place, answer, members);
  if (!isObject(answer)) throw new PluginFault(place, `it must return { ${type ? "nodes" : "json"} }, and returns ${shown(answer)}.`);
  if ("json" in answer && answer.json !== undefined && (type === undefined || answer.json === null)) {
    if (answer.errors !== undefined) checkAnswerErrors(place, answer.errors);
    return answer;
  }
  if (!("nodes" in answer) || type === undefined) {
    const instead = type ? `{ nodes } of ${type.name}, or { json: null }` : "{ json }, since it names no type";
    throw new PluginFault(place, `it must return ${instead}.`);
  }
  if (answer.errors !== undefined) checkAnswerErrors(place, answer.errors);
  if (!Array.isArray(answer.nodes)) throw new PluginFault(place, "nodes must be a list of uids.");
  for (const uid of answer.nodes)
    if (!Number.isSafeInteger(uid) || uid < 1) throw new PluginFault(place, `nodes holds ${shown(uid)}, which is no uid.`);
  for (const [name, values] of Object.entries("values" in answer && isObject(answer.values) ? answer.values : {}))
    if (!Array.isArray(values) || values.length !== answer.nodes.length)
      throw new PluginFault(place, `values.${name} must be a list with one value for each of ${answer.nodes.length} nodes.`);
  return answer;
}

function checkLookups(place: PluginPlace, answer: RootAnswer, members: readonly NodeType[]): RootAnswer {
  const given: unknown = isObject(answer) && "lookups" in answer ? answer.lookups : undefined;
  if (!Array.isArray(given) || !("lookups" in answer)) {
    throw new PluginFault(place, `it must return { lookups }, since it names members, and returns ${shown(answer)}.`);
  }
  if (answer.errors !== undefined) checkAnswerErrors(place, answer.errors);
  for (const lookup of answer.lookups) {
    if (lookup === undefined) continue;
    if (!members.includes(lookup.type))
      throw new PluginFault(place, `lookups names the type ${shown(lookup.type?.name)}, which is none of its members.`);
    const parts: readonly LookupPart[] = lookup.by;
    if (parts.length === 0) throw new PluginFault(place, `a lookup of ${lookup.type.name} has no parts.`);
    const unfit = parts.find(({ field, value }) => (field.role === "id" ? !Number.isSafeInteger(value) : !fitsField(field, value)));
    if (unfit)
      throw new PluginFault(place, `a lookup gives ${unfit.field.owner.name}.${unfit.field.name} ${shown(unfit.value)}, which does not fit.`);
  }
  return answer;
}

/** Checks the number of results. The response writer checks each of them. */
export function checkComputed(place: PluginPlace, answer: Computed, [parents]: readonly [readonly Parent[], ...unknown[]]): Computed {
  const results: unknown = "values" in answer && !Array.isArray(answer) ? answer.values : answer;
  if (!Array.isArray(results) || results.length !== parents.length) {
    const found = Array.isArray(results) ? `${results.length} results` : shown(results);
    throw new PluginFault(place, `it must return one result for each of ${parents.length} parents, and returns ${found}.`);
  }
  if ("errors" in answer) checkAnswerErrors(place, answer.errors);
  return answer;
}

type Computed = readonly AnswerValue[] | ComputedAnswer;

function checkAnswerErrors(place: PluginPlace, errors: readonly AnswerError[]): void {
  if (!Array.isArray(errors)) throw new PluginFault(place, `errors must be a list, and is ${shown(errors)}.`);
  for (const error of errors)
    if (!isObject(error) || typeof error.message !== "string") throw new PluginFault(place, `errors holds ${shown(error)}, which has no message.`);
}

const maxShown = 60;

/** A value in a message, truncated. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : Array.isArray(value) ? `[${value.map(shown).join(", ")}]` : describe(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}...` : text;
}

function describe(value: unknown): string {
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
