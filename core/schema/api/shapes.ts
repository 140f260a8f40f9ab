// Records the meaning of each generated name, so that no other code parses names.

import type { Model, NodeType, UnionType } from "../../contracts/model.ts";
import { geoTypes } from "../document/built-ins.ts";
import type { Additions } from "./additions.ts";
import type { Api, FilterShape, InputShape, OutputField, OutputShape } from "./api.ts";
import { unionFilterMember } from "./inputs/filter.ts";
import { unionRefMember } from "./inputs/ref.ts";
import { addInputName, aggregateName, filterName, patchName, payloadName, refName } from "./names.ts";
import { aggregateCompanions, aggregateMeasures } from "./outputs/aggregate.ts";
import { listCompanions } from "./outputs/lists.ts";
import { payloadList } from "./outputs/payloads.ts";

type Shapes = Pick<
  Api,
  | "nearest"
  | "updates"
  | "outputs"
  | "filters"
  | "filterOf"
  | "filtersByLinks"
  | "unionFilters"
  | "linkOrders"
  | "inputs"
  | "unionInputs"
  | "jsonKeys"
  | "atomic"
  | "counting"
>;

/** @param exists whether a generated definition remains after the cleaning */
export function recordShapes(model: Model, additions: Additions, exists: (name: string) => boolean): Shapes {
  const nodes = [...model.nodeTypes.values()];
  const unions = [...model.unions.values()];
  const filters = nodes.map((node) => filterShape(node, additions));
  return {
    updates: new Map(
      nodes.map((node) => [node.name, additions.updatesOf(node).map(({ member, update, plugin }) => ({ ...update, name: member.name, plugin }))]),
    ),
    nearest: new Map(
      nodes.flatMap((node) => additions.nearestOf(node).map(({ argument, nearest }) => [`query${node.name}`, { ...nearest, name: argument.name }])),
    ),
    outputs: new Map([
      ...nodes.flatMap((node) => outputsOf(node, additions)).filter(([name]) => model.nodeTypes.has(name) || exists(name)),
      ...unions.map((union): [string, OutputShape] => [union.name, { kind: "union", union }]),
      ...geoTypes.map((name): [string, OutputShape] => [name, { kind: "geo" }]),
    ]),
    filters: new Map(filters.map((shape) => [filterName(shape.node), shape])),
    filterOf: new Map(filters.map((shape) => [shape.node, shape])),
    filtersByLinks: filters.some(({ links }) => links.size > 0),
    unionFilters: new Map(unions.map((union) => [filterName(union), { union, members: membersBy(union, unionFilterMember) }])),
    linkOrders: new Map(nodes.map((node) => [node.name, additions.linkOrdersOf(node)])),
    inputs: new Map(nodes.flatMap(inputsOf).filter(([name]) => exists(name))),
    unionInputs: new Map(unions.filter((union) => exists(refName(union))).map((union) => [refName(union), membersBy(union, unionRefMember)])),
    atomic: additions.atomic,
    counting: additions.counting,
    jsonKeys: additions.jsonKeys,
  };
}

function outputsOf(node: NodeType, additions: Additions): readonly [string, OutputShape][] {
  const payload: OutputShape = { kind: "payload", node, list: payloadList(node) };
  return [
    [node.name, { kind: "node", node, fields: outputFields(node, additions) }],
    [aggregateName(node), { kind: "aggregate", node, measures: aggregateMeasures(node) }],
    [payloadName("Add", node), payload],
    [payloadName("Update", node), payload],
    [payloadName("Delete", node), payload],
  ];
}

function outputFields(node: NodeType, additions: Additions): ReadonlyMap<string, OutputField> {
  const fields = new Map<string, OutputField>();
  for (const field of node.fields.values()) {
    if (!field.exposure.output) continue;
    const computed = additions.computedFor(field);
    if (field.role === "computed" && !computed)
      throw new TypeError(`The field ${node.name}.${field.name} is recorded as computed, and no plugin computes it.`);
    fields.set(field.name, computed ? { kind: "computed", computed } : { kind: "field", field });
  }
  for (const { member, of } of aggregateCompanions(node)) fields.set(member.name, { kind: "aggregate", of });
  for (const { member, of, list } of listCompanions(node, additions)) fields.set(member.name, { kind: "list", of, list });
  return fields;
}

function filterShape(node: NodeType, additions: Additions): FilterShape {
  const values = [...node.fields.values()].flatMap((field) => (field.role === "value" ? [field] : []));
  return {
    node,
    id: node.idField?.name,
    fields: additions.filtersOf(node),
    values: new Map(values.map(({ stored, kind, type }) => [stored, { kind, list: type.list }])),
    links: additions.linkFiltersOf(node),
  };
}

function inputsOf(node: NodeType): readonly [string, InputShape][] {
  return [
    [addInputName(node), { role: "add", node }],
    [patchName(node), { role: "patch", node }],
    [refName(node), { role: "ref", node }],
  ];
}

function membersBy(union: UnionType, name: (member: NodeType) => string): ReadonlyMap<string, NodeType> {
  return new Map(union.members.map((member) => [name(member), member]));
}
