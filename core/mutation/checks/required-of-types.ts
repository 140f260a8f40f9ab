// What every node of a type must have so that it can be read: the fields that the API shows and that are never null.

import type { Change, Create, Set as SetChange } from "../../contracts/change.ts";
import type { Field, NodeType } from "../../contracts/model.ts";
import { Fact } from "../../ground/facts.ts";
import type { EndName, FieldName, TypeName, Uid } from "../../ground/values/value.ts";
import type { EdgeIndex } from "../../query/layout-index/edge-index.ts";
import { layoutIndexOf } from "../../query/layout-index/layout-index.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";

/** By storage name. */
export interface Required {
  readonly values: readonly FieldName[];
  readonly links: readonly RequiredLink[];
}

interface RequiredLink {
  readonly end: EndName;
  /** The ends by which the other side writes the same link. */
  readonly opposite: readonly EndName[];
}

/** By stored type. Types without required fields are absent. */
export const requiredOf = new Fact<Pick<Deployment, "model" | "layout" | "facts">, ReadonlyMap<TypeName, Required>>(({ model, layout }) => {
  const derived = new Set(layout.fields.flatMap(({ name, derived: from }) => (from ? [name] : [])));
  const { edges } = layoutIndexOf(layout);
  const all = new Map<TypeName, Required>();
  for (const type of model.nodeTypes.values()) {
    if (type.kind !== "object") continue;
    const required = requiredOfType(type, derived, edges);
    if (required.values.length + required.links.length > 0) all.set(type.stored, required);
  }
  return all;
});

function requiredOfType(type: NodeType, derived: ReadonlySet<FieldName>, edges: EdgeIndex): Required {
  const fields = [...type.fields.values()].filter(isRequired);
  return {
    values: fields.flatMap((field) => (field.role === "value" && !derived.has(field.stored) ? [field.stored] : [])),
    links: fields.flatMap((field) =>
      field.role === "link" && !field.type.list && field.reverseOf === undefined
        ? [{ end: field.stored, opposite: edges.opposite(field.stored).map(({ name }) => name) }]
        : [],
    ),
  };
}

/** An empty list is no null. */
function isRequired(field: Field): boolean {
  if (!field.type.nonNull || !field.exposure.output) return false;
  return field.role === "value" ? !field.type.list || field.kind === "vector" : field.role === "link";
}

/** `end uid` for each required end that `changes` link. */
export type FilledEnds = ReadonlySet<string>;

export function filledEnds(changes: readonly Change[], required: ReadonlyMap<TypeName, Required>): FilledEnds {
  const filled = new Set<string>();
  for (const change of changes) {
    if (change.kind !== "link") continue;
    fill(filled, { uid: change.from, type: change.fromType, by: change.end }, required);
    fill(filled, { uid: change.to, type: change.toType, by: change.end }, required);
  }
  return filled;
}

interface Filling {
  readonly uid: Uid;
  readonly type: TypeName;
  readonly by: EndName;
}

function fill(filled: Set<string>, { uid, type, by }: Filling, required: ReadonlyMap<TypeName, Required>): void {
  for (const { end, opposite } of required.get(type)?.links ?? []) {
    if (end === by || opposite.includes(by)) filled.add(`${end} ${uid}`);
  }
}

/** The required fields that a new node lacks, or that a change clears. */
export function lacksOf(change: Create | SetChange, required: ReadonlyMap<TypeName, Required>, filled: FilledEnds): readonly string[] {
  const of = required.get(change.type);
  if (!of) return noNames;
  if (change.kind === "set") return of.values.filter((name) => change.fields[name] === null);
  const values = of.values.filter((name) => change.fields[name] === undefined);
  if (of.links.length === 0) return values;
  return [...values, ...of.links.flatMap(({ end }) => (filled.has(`${end} ${change.uid}`) ? [] : [end]))];
}

const noNames: readonly string[] = [];
