// `<T>AggregateResult`, and an `<f>Aggregate` field for each list of objects.

import type { LinkField, NodeType, ValueField } from "../../../contracts/model.ts";
import type { OutputMeasure } from "../api.ts";
import type { FieldsDefinition, Member } from "../definition.ts";
import { aggregateName } from "../names.ts";
import { filterArgument } from "./arguments.ts";

/** A member of an aggregate result: its measure and type. */
interface Measured extends OutputMeasure {
  readonly name: string;
  readonly type: string;
}

export function aggregateResult(node: NodeType): FieldsDefinition {
  const members = measured(node).map(({ name, type }) => ({ name, type }));
  return { kind: "type", name: aggregateName(node), members, generatedFor: node.name };
}

/** By name of the member of `<T>AggregateResult`. */
export function aggregateMeasures(node: NodeType): ReadonlyMap<string, OutputMeasure> {
  return new Map(measured(node).map(({ name, measure, kind, field }) => [name, { measure, kind, field }]));
}

function measured(node: NodeType): readonly Measured[] {
  const count: Measured = { name: "count", type: "Int", measure: { kind: "count" }, kind: "int", field: undefined };
  return [count, ...[...node.fields.values()].flatMap((field) => (field.role === "value" ? measuresOf(field) : []))];
}

function measuresOf(field: ValueField): readonly Measured[] {
  const { aggregate } = field.exposure;
  if (aggregate === "none") return [];
  const range = [measureOf(field, "min"), measureOf(field, "max")];
  return aggregate === "range" ? range : [...range, measureOf(field, "sum"), measureOf(field, "avg")];
}

const suffixes = { min: "Min", max: "Max", sum: "Sum", avg: "Avg" } as const;

/** An average is a Float; other measures have the field's type. */
function measureOf(field: ValueField, kind: keyof typeof suffixes): Measured {
  const base = { name: `${field.name}${suffixes[kind]}`, measure: { kind, field: field.stored }, field };
  return kind === "avg" ? { ...base, type: "Float", kind: "float" } : { ...base, type: field.type.name, kind: field.kind };
}

export interface Companion {
  readonly of: LinkField;
  readonly member: Member;
}

/** The aggregate fields of a type; they follow all other fields. */
export function aggregateCompanions(node: NodeType): readonly Companion[] {
  return [...node.fields.values()].flatMap((field) => {
    if (field.role !== "link" || !field.type.list || !field.exposure.arguments || field.target.kind === "union") return [];
    const member = { name: `${field.name}Aggregate`, type: aggregateName(field.target), arguments: [filterArgument(field.target)] };
    return [{ of: field, member }];
  });
}
