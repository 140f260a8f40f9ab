// Root fields of a type: generated ones, and those of plugins.

import type { Field, LinkField, NodeType, ValueField } from "../../../contracts/model.ts";
import type { ListKind } from "../../../contracts/plugin/level-step.ts";
import type { RootField } from "../../../contracts/plugin/root-field.ts";
import type { RootOperation } from "../api.ts";
import { type Argument, type Definition, type Member, partOfKey } from "../definition.ts";
import { addInputName, aggregateName, filterName, payloadName, refName, updateInputName } from "../names.ts";
import { isIdentifiable } from "../writable.ts";
import { filterArgument, listArguments } from "./arguments.ts";

export interface Root {
  readonly member: Member;
  readonly operation: RootOperation;
}

/** A plugin's root field with its signature read. */
export interface PluginRoot {
  readonly member: Member;
  readonly root: RootField;
}

/** A kind of list, with its signature read. */
export interface AddedList {
  readonly list: ListKind;
  /** Without a name of its own. */
  readonly member: Member;
  /** Types that belong to it. */
  readonly definitions: readonly Definition[];
}

/**
 * `get`, then the plugins' queries of this type, `query`, `aggregate`, kinds of lists.
 *
 * @param added what plugins add
 */
export function queriesOf(node: NodeType, { own, listed, lists }: AddedQueries): readonly Root[] {
  return [
    ...getQuery(node),
    ...own.map(pluginRoot),
    ...listQuery(node, listed),
    ...aggregateQuery(node),
    ...lists.flatMap((each) => ofKind(node, each)),
  ];
}

/** What plugins add to the queries of a type. */
export interface AddedQueries {
  readonly own: readonly PluginRoot[];
  /** Arguments of `query`. */
  readonly listed: readonly Argument[];
  readonly lists: readonly AddedList[];
}

function ofKind(node: NodeType, { list, member }: AddedList): readonly Root[] {
  return list.query === undefined ? [] : [{ member: { ...member, name: list.query }, operation: { kind: "list", node, list } }];
}

function getQuery(node: NodeType): readonly Root[] {
  if (!node.allows("get") || !isIdentifiable(node)) return [];
  const plain = [...(node.idField ? [node.idField] : []), ...node.keys.map((key) => key.field)];
  const required = plain.length + node.scopedKeys.length === 1 ? "!" : "";
  const named = plain.map((field) => nameArgument(field, keyDescription(field.role), required));
  const names = new Set(plain.map(({ name }) => name));
  const scoped = [...new Set(node.scopedKeys.flatMap(({ field, within }) => [field, ...within]))].filter(({ name }) => !names.has(name));
  const given = [...named, ...scoped.map((field) => partArgument(nameArgument(field, "", required), field, node))];
  return [generated("get", node, { name: `get${node.name}`, arguments: given, type: node.name })];
}

function nameArgument(field: Field, description: string, required: "!" | ""): Argument {
  const type = field.role === "link" ? refName(field.target) : field.type.name;
  return { name: field.name, type: type + required, description: field.definition.description?.value ?? description };
}

function keyDescription(role: Field["role"]): string {
  return role === "id" ? "The ID of the object." : "The value of this field in the object; no two objects have the same.";
}

/** Its description says what it is a part of, for clients that know nothing else of the schema. */
function partArgument(argument: Argument, field: ValueField | LinkField, { scopedKeys }: NodeType): Argument {
  const key = scopedKeys.find((each) => each.field === field) ?? scopedKeys.find(({ within }) => within.includes(field));
  const others = [key?.field, ...(key?.within ?? [])].flatMap((each) => (each && each !== field ? [each.name] : []));
  const own = argument.description ? ` ${argument.description}` : "";
  return { ...argument, description: `${partOfKey} with ${others.join(" and ")}: together they name the object.${own}` };
}

function listQuery(node: NodeType, added: readonly Argument[]): readonly Root[] {
  if (!node.allows("query")) return [];
  return [generated("query", node, { name: `query${node.name}`, arguments: [...listArguments(node), ...added], type: `[${node.name}]` })];
}

function aggregateQuery(node: NodeType): readonly Root[] {
  if (!node.allows("aggregate")) return [];
  const member = { name: `aggregate${node.name}`, arguments: [filterArgument(node)], type: aggregateName(node) };
  return [generated("aggregate", node, member)];
}

/**
 * `add`, `update`, `delete`, then the plugins' mutations of this type.
 *
 * @param exists whether an input remains after the cleaning
 */
export function mutationsOf(node: NodeType, own: readonly PluginRoot[], exists: (input: string) => boolean): readonly Root[] {
  return [
    ...(exists(addInputName(node)) ? [addMutation(node)] : []),
    ...(exists(updateInputName(node)) ? [updateMutation(node)] : []),
    ...(node.allows("delete") ? [deleteMutation(node)] : []),
    ...own.map(pluginRoot),
  ];
}

function addMutation(node: NodeType): Root {
  const upsert: readonly Argument[] = [...node.keys, ...node.scopedKeys].some(({ field }) => field.type.name !== "ID")
    ? [{ name: "upsert", type: "Boolean", description: descriptions.upsert }]
    : [];
  const given = [{ name: "input", type: `[${addInputName(node)}!]!`, description: descriptions.add }, ...upsert];
  return generated("add", node, { name: `add${node.name}`, arguments: given, type: payloadName("Add", node) });
}

function updateMutation(node: NodeType): Root {
  const given = [{ name: "input", type: `${updateInputName(node)}!`, description: descriptions.update }];
  return generated("update", node, { name: `update${node.name}`, arguments: given, type: payloadName("Update", node) });
}

function deleteMutation(node: NodeType): Root {
  const given = [{ name: "filter", type: `${filterName(node)}!`, description: descriptions.delete }];
  return generated("delete", node, { name: `delete${node.name}`, arguments: given, type: payloadName("Delete", node) });
}

const descriptions = {
  add: "The new objects. An object in an object is created too, or linked when it is named by its ID or key alone.",
  upsert: "Changes the object that has the same key, instead of refusing the new one.",
  update: "`filter` chooses objects; `set` gives them values, and `remove` takes values away.",
  delete: "Chooses the objects to delete; `{}` chooses all.",
};

function generated(kind: Exclude<RootOperation["kind"], "plugin" | "list">, node: NodeType, member: Member): Root {
  return { member, operation: { kind, node } };
}

export function pluginRoot({ member, root }: PluginRoot): Root {
  return { member, operation: { kind: "plugin", root } };
}
