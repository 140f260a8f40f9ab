// Arguments of one field: coerced once when they are constant, else with the variables of each request.

import { type FieldNode, type GraphQLField, getArgumentValues, getNamedType, Kind, print, type ValueNode } from "graphql";
import type { Api } from "../api/api.ts";
import type { PlannedArguments, Variables } from "./selection.ts";

const none: PlannedArguments = Object.freeze({ constant: true, values: () => noValues, text: "" });
const noValues: Variables = Object.freeze({});

export function planArguments(definition: GraphQLField<unknown, unknown> | undefined, node: FieldNode): PlannedArguments {
  if (!definition || definition.args.length === 0) return none;
  const given = node.arguments ?? [];
  const defaults = definition.args.some((each) => each.defaultValue !== undefined);
  if (given.length === 0 && !defaults) return none;
  const text = given.length === 0 ? "" : `(${given.map(print).join(", ")})`;
  const values = (variables: Variables): Variables => withoutNulls(getArgumentValues(definition, node, variables));
  if (given.some((argument) => usesVariables(argument.value))) return Object.freeze({ constant: false, values, text });
  const constant = Object.freeze(values(noValues));
  return Object.freeze({ constant: true, values: () => constant, text });
}

/** Arguments that name a node, or are a plugin's own, cut no list; only a filter of the generated kind is the kernel's to apply. */
export function onlyFilter(planned: PlannedArguments, definition: GraphQLField<unknown, unknown>, api: Api): PlannedArguments {
  const filter = definition.args.find((each) => each.name === "filter");
  if (!filter || !api.filters.has(getNamedType(filter.type).name))
    return Object.freeze({ constant: true, values: () => noValues, text: planned.text });
  return Object.freeze({ ...planned, values: (variables: Variables) => ({ filter: planned.values(variables).filter }) });
}

function usesVariables(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(usesVariables);
  return value.kind === Kind.OBJECT ? value.fields.some((field) => usesVariables(field.value)) : value.kind === Kind.VARIABLE;
}

function withoutNulls(values: Variables): Variables {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
}
