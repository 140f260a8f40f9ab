// `similar_to(p, k, vector)`: the nodes whose vectors are nearest. A search of its own, before the block that asks for it.

import { type NearestIndex, parseUid, QuernError, type Snapshot, type Uid, type Vector, vectorOf } from "../../../core/plugin.ts";
import { parseFloatText, textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Argument, Block, Call, Field, Filter } from "../language/syntax.ts";
import { type DqlValue, parseInteger } from "../schema/values.ts";
import { sortedSet } from "../state/variables.ts";
import type { ConditionContext } from "./context.ts";

/** The nodes that each `similar_to` of a block finds. */
export async function nearestOf(block: Block, context: Omit<ConditionContext, "nearest">, snapshot: Snapshot): Promise<ConditionContext["nearest"]> {
  const found = new Map<Call, readonly Uid[]>();
  for (const call of similarCalls(block)) found.set(call, await search(call, context, snapshot));
  return found;
}

function similarCalls(block: Block): readonly Call[] {
  return [...callsOf(block.call), ...callsOf(block.filter), ...block.fields.flatMap(callsOfField)].filter(({ name }) => name === "similar_to");
}

function callsOfField(field: Field): readonly Call[] {
  if (field.kind === "count") return callsOf(field.filter);
  return field.kind === "predicate" || field.kind === "expand" ? [...callsOf(field.filter), ...field.fields.flatMap(callsOfField)] : [];
}

function callsOf(filter: Filter | undefined): readonly Call[] {
  if (!filter) return [];
  if (filter.kind === "call") return [filter, ...(filter.subject.kind === "count" ? callsOf(filter.subject.filter) : [])];
  return filter.kind === "not" ? callsOf(filter.of) : filter.of.flatMap(callsOf);
}

async function search(call: Call, context: Omit<ConditionContext, "nearest">, snapshot: Snapshot): Promise<readonly Uid[]> {
  const { catalog } = context;
  if (call.subject.kind !== "predicate") throw refusal("similar_to takes a predicate, a number of neighbors and a vector");
  const { name } = call.subject.predicate;
  const meaning = catalog.meaningOf(name);
  if (meaning.kind === "unknown") return [];
  const index = catalog.nearestIndexOf(name);
  if (meaning.kind !== "value" || !index) throw refusal(`Predicate ${name} is not indexed`);
  const [count, wanted] = call.arguments;
  if (!count || !wanted || call.arguments.length !== 2)
    throw refusal(`Function 'similar_to' requires 2 arguments plus optional key:value pairs, but got ${call.arguments.length}`);
  const neighbours = neighboursOf(count, context);
  const options = optionsOf(call, index, context);
  const vector = await vectorOfArgument(wanted, { name, context, snapshot });
  if (!vector || neighbours < 1) return [];
  const nearest = { field: name, metric: index.metric, vector, count: neighbours, ...options };
  try {
    const { uids } = await snapshot.find({ types: catalog.holdersOf(name), nearest, fields: [] });
    return sortedSet(uids);
  } catch (thrown) {
    throw thrown instanceof QuernError && thrown.code === "VALUE_INVALID" ? refusal(thrown.message) : thrown;
  }
}

const mostNeighbours = 100_000;

function neighboursOf(argument: Argument, { inputs }: Pick<ConditionContext, "inputs">): number {
  const text = argument.kind === "text" || argument.kind === "variable" ? textOf(argument, inputs) : "";
  if (!/^[+-]?\d+$/.test(text)) throw refusal(`invalid value for number of neighbors: ${text}`);
  return Math.min(mostNeighbours, Number(parseInteger(text)));
}

function optionsOf({ options }: Call, { metric }: NearestIndex, { inputs }: Pick<ConditionContext, "inputs">) {
  const [ef, threshold] = [options.get("ef"), options.get("distance_threshold")].map((literal) => literal && textOf(literal, inputs));
  if (ef !== undefined) {
    if (!/^[+-]?\d+$/.test(ef)) throw refusal(`Invalid value for 'ef' in similar_to: ${JSON.stringify(ef)}`);
    if (Number(ef) < 1) throw refusal(`Value for 'ef' must be positive, got: ${ef}`);
  }
  const within = threshold === undefined ? undefined : parseFloatText(threshold);
  if (threshold !== undefined && within === undefined)
    throw refusal(`Invalid value for 'distance_threshold' in similar_to: ${JSON.stringify(threshold)}`);
  if (within !== undefined && within < 0) throw refusal(`Value for 'distance_threshold' must be non-negative, got: ${within}`);
  // Dgraph ignores the threshold of dot products, which have no smallest distance.
  return { breadth: ef === undefined ? undefined : Number(ef), within: metric === "dotproduct" ? undefined : within };
}

interface VectorSource {
  readonly name: string;
  readonly context: Omit<ConditionContext, "nearest">;
  readonly snapshot: Snapshot;
}

/** A written vector, that of a node, or the only one of a variable; undefined when there is none. */
async function vectorOfArgument(argument: Argument, { name, context, snapshot }: VectorSource): Promise<Vector | undefined> {
  if (argument.kind === "val") return vectorOfVariable(argument.variable, context);
  const text = argument.kind === "text" || argument.kind === "variable" ? textOf(argument, context.inputs).trim() : "";
  if (text.startsWith("[")) return writtenVector(text);
  const uid = parseUid(text);
  if (uid === undefined) throw refusal(`Value ${JSON.stringify(text)} is not a uid or vector`);
  const { columns } = await snapshot.load({ uids: [uid], types: context.catalog.types, fields: [name] });
  const stored = columns[0]?.[0];
  return stored instanceof Float32Array ? stored : undefined;
}

/** Each distinct value of a variable is an argument, and the function takes one vector. */
function vectorOfVariable(name: string, { variables }: VectorSource["context"]): Vector | undefined {
  const variable = variables.get(name);
  const [first] = variable?.kind === "values" ? variable.values.values() : [];
  if (!Array.isArray(first) || variable?.kind !== "values") return undefined;
  for (const value of variable.values.values())
    if (!isSame(first, value)) throw refusal(`Function 'similar_to' requires 2 arguments, but val(${name}) holds several vectors`);
  return vectorOf(first.map(Number));
}

function isSame(vector: readonly number[], other: DqlValue): boolean {
  return Array.isArray(other) && other.length === vector.length && vector.every((each, i) => each === other[i]);
}

function writtenVector(text: string): Vector | undefined {
  const numbers = text
    .slice(1, text.endsWith("]") ? -1 : undefined)
    .split(/[\s,]+/)
    .filter((each) => each !== "")
    .map(parseFloatText);
  const known = numbers.filter((each) => each !== undefined);
  if (known.length < numbers.length || !text.endsWith("]")) throw refusal(`Value ${JSON.stringify(text.slice(0, 100))} is not a uid or vector`);
  return vectorOf(known);
}
