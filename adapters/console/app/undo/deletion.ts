// Deletes nodes so that they can be taken back: made again with their values, and with their links as far as their type has them.

import { getNamedType, isInputObjectType, isInterfaceType, isObjectType, isRequiredInputField } from "graphql";
import { isList, isObject, type Json, type JsonObject, objectsIn, textOf } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { addNodes, type Writing } from "../model/changes.ts";
import { type LinkedNode, linkOf, referenceTo, targetsOf } from "../model/links.ts";
import { fieldSelection, filterOf, keyName, keyOf, linkSelection, type NodeKey } from "../model/nodes.ts";
import { plural } from "../parts/pieces.tsx";
import { obstaclesOf } from "./obstacles.ts";
import type { Change } from "./use-undo.ts";

/** More nodes are deleted for good: a tab does not hold them. */
export const mostRestored = 5_000;

export interface Deleting {
  readonly writing: Writing;
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly keys: readonly NodeKey[];
  /** What people call them: `Kiel`, `12 nodes`. */
  readonly label: string;
}

export interface Deleted {
  readonly count: number;
  /** Undefined: it cannot be taken back. */
  readonly change: Change | undefined;
}

/** Deletes the nodes. The answer of the same mutation says what they were. */
export async function deleteNodes(of: Deleting): Promise<Deleted> {
  const { writing, model, type, keys, label } = of;
  const selection = keys.length > mostRestored ? undefined : deletedSelection(model, type);
  const query = `mutation Delete($filter: ${type.filter?.name ?? ""}!) { done: ${type.remove ?? ""}(filter: $filter) { numUids ${selection ?? ""} } }`;
  const { done } = await writing.server.data({ query, variables: { filter: filterOf(type, keys) }, as: writing.identity });
  const count = isObject(done) ? Number(done.numUids ?? 0) : 0;
  const nodes = isObject(done) ? objectsIn(done.nodes).map(withoutPrefix) : [];
  if (nodes.length === 0 || nodes.some((node) => !isRestorable(model, node))) return { count, change: undefined };
  return { count, change: { done: `Deleted ${label}`, takeBack: () => restore(of, nodes) } };
}

/** What taking back a deletion cannot give back, for people who are about to delete. Undefined: it cannot be taken back at all. */
export function lossesOf(model: ApiModel, type: NodeType): readonly string[] | undefined {
  const types = concreteTypes(model, type);
  if (deletedSelection(model, type) === undefined || types.some((each) => !hasReadableInput(each))) return undefined;
  const losses = types.flatMap((each) => [
    ...(each.keys.some(({ kind }) => kind === "id") ? ["the ids, which are new"] : []),
    ...unreadable(each).map((name) => `the ${name}, which cannot be read`),
    ...filesOf(each).map((name) => `the file of ${name}`),
    ...oneWayLinksTo(model, each).map((name) => `links of ${name}`),
  ]);
  return [...new Set(losses)];
}

function isRestorable(model: ApiModel, { __typename }: JsonObject): boolean {
  const type = model.type(textOf(__typename));
  return type !== undefined && hasReadableInput(type);
}

function hasReadableInput(type: NodeType): boolean {
  const inputs = type.add?.input.getFields() ?? {};
  return type.add !== undefined && [...unreadable(type), ...filesOf(type)].every((name) => !(inputs[name] && isRequiredInputField(inputs[name])));
}

/** Inputs that no query gives back, such as passwords. */
function unreadable(type: NodeType): readonly string[] {
  const names = new Set(type.fields.map(({ name }) => name));
  return Object.keys(type.add?.input.getFields() ?? {}).filter((name) => !names.has(name));
}

/** Files go with their node. */
function filesOf({ fields }: NodeType): readonly string[] {
  return fields.flatMap(({ kind, name }) => (kind === "file" ? [name] : []));
}

/** Links to the type that it has no field for: `Shelf.holds`. */
function oneWayLinksTo(model: ApiModel, { name }: NodeType): readonly string[] {
  return model.types.flatMap((type) =>
    type.isInterface
      ? []
      : type.fields.flatMap((field) => {
          const leadsHere =
            field.kind === "link" && targetsOf(model, field).some((target) => concreteTypes(model, target).some((each) => each.name === name));
          return leadsHere && field.inverse === undefined ? [`${type.name}.${field.name}`] : [];
        }),
  );
}

function concreteTypes(model: ApiModel, type: NodeType): readonly NodeType[] {
  const named = model.schema.getType(type.name);
  if (!isInterfaceType(named)) return [type];
  return model.schema.getPossibleTypes(named).flatMap(({ name }) => model.type(name) ?? []);
}

/** Undefined: the answer of the mutation holds no nodes. */
function deletedSelection(model: ApiModel, type: NodeType): string | undefined {
  const payload = getNamedType(model.schema.getMutationType()?.getFields()[type.remove ?? ""]?.type);
  const fields = isObjectType(payload) ? Object.values(payload.getFields()) : [];
  const nodes = fields.find((field) => getNamedType(field.type).name === type.name);
  return (
    nodes &&
    `nodes: ${nodes.name} { __typename ${concreteTypes(model, type)
      .map((each) => memberSelection(model, each))
      .join(" ")} }`
  );
}

/** Members of an interface may have fields of one name and different types. */
function memberSelection(model: ApiModel, type: NodeType): string {
  const fields = type.fields.filter(({ kind }) => kind !== "file");
  return `... on ${type.name} { ${fields.map((field) => `${type.name}_${field.name}: ${wholeValue(model, field)}`).join(" ")} }`;
}

/** All links of a list, not their number. */
function wholeValue(model: ApiModel, field: Field): string {
  return field.kind === "link" ? `${field.name} ${linkSelection(model, field.named)}` : fieldSelection(model, field);
}

function withoutPrefix(node: JsonObject): JsonObject {
  const prefix = `${textOf(node.__typename)}_`;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name.startsWith(prefix) ? name.slice(prefix.length) : name, value]));
}

/** Makes the nodes again in one transaction for each type. Says which links were left out. */
async function restore({ writing, model }: Deleting, nodes: readonly JsonObject[]): Promise<string> {
  const leftOut: string[] = [];
  const names = new Set(nodes.map((node) => textOf(node.__typename)));
  for (const name of names) {
    const type = model.type(name);
    if (type === undefined) throw new Error(`The schema has no ${name} any more.`);
    const own = nodes.filter((node) => node.__typename === name);
    const made = await inputsOf({ writing, model, type }, own);
    await addNodes(writing, type, made.inputs);
    leftOut.push(...made.leftOut);
  }
  if (leftOut.length === 0) return "";
  const others = leftOut.length > 3 ? `, and ${plural(leftOut.length - 3, "more link")}` : "";
  return `Left out: ${leftOut.slice(0, 3).join("; ")}${others}.`;
}

interface Restored {
  readonly writing: Writing;
  readonly model: ApiModel;
  readonly type: NodeType;
}

async function inputsOf(of: Restored, nodes: readonly JsonObject[]) {
  const { type } = of;
  const fellows = new Map(nodes.map((node) => [nameOf(keyOf(type, node)), node]));
  const inputs: Record<string, Json>[] = nodes.map(() => ({}));
  const leftOut: string[] = [];
  for (const name of Object.keys(type.add?.input.getFields() ?? {})) {
    const field = type.fields.find((each) => each.name === name);
    if (field === undefined || field.kind === "file") continue;
    const values = nodes.map((node) => node[name]);
    const write = field.kind === "link" ? await linkWriter(of, field, values, fellows, leftOut) : (value: Json) => value;
    for (const [place, value] of values.entries()) {
      const written = value === null || value === undefined ? undefined : write(value);
      const input = inputs[place];
      if (input && written !== undefined) input[name] = written;
    }
  }
  return { inputs, leftOut: [...new Set(leftOut)] };
}

/** How the links of a field are written: those that others have changed since stay as they are. */
async function linkWriter(
  of: Restored,
  field: Field,
  values: readonly (Json | undefined)[],
  fellows: ReadonlyMap<string, JsonObject>,
  leftOut: string[],
): Promise<(value: Json) => Json | undefined> {
  const { model, type } = of;
  const rows = values.flatMap((value) => (isObject(value) ? [value] : objectsIn(value ?? null)));
  const linked = rows.flatMap((row) => linkOf(model, field, row) ?? []);
  const strangers = linked.filter((node) => !(node.type.name === type.name && fellows.has(nameOf(node.key))));
  const obstacles = await obstaclesOf(of, field, strangers);
  const write = (row: Json): Json | undefined => {
    const node = isObject(row) ? linkOf(model, field, row) : undefined;
    if (node === undefined || !isWritable(type, field)) return undefined;
    const fellow = node.type.name === type.name ? fellows.get(nameOf(node.key)) : undefined;
    const found = fellow === undefined ? node : ownKeyed(node, fellow);
    const obstacle =
      found === undefined ? `${field.name} ${node.label}, which is deleted too and has no key but its id` : obstacles.get(nameOf(node.key));
    if (obstacle !== undefined) leftOut.push(obstacle);
    return found === undefined || obstacle !== undefined ? undefined : referenceTo(type, field, found);
  };
  return (value) => (isList(value) ? value.flatMap((each) => write(each) ?? []) : write(value));
}

function isWritable(type: NodeType, { name }: Field): boolean {
  return isInputObjectType(getNamedType(type.add?.input.getFields()[name]?.type));
}

/** A node that is made in the same transaction is named by a key of its own: its id is new. */
function ownKeyed(node: LinkedNode, fellow: JsonObject): LinkedNode | undefined {
  const field = node.type.keys.find(({ kind, name }) => kind !== "id" && fellow[name] !== null && fellow[name] !== undefined);
  const value = field && fellow[field.name];
  return field && value !== undefined ? { ...node, key: { field: field.name, value } } : undefined;
}

function nameOf(key: NodeKey | undefined): string {
  return key === undefined ? "" : keyName(key);
}
