// Names that `@cascade(fields: $names)` gets in a variable: known only with the values of a request, held to the rule of written names.

import {
  type DirectiveNode,
  type DocumentNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { cascadeOf, unknownCascadeField } from "./cascade-fields-rule.ts";
import { cascadeTarget } from "./cascade-target.ts";

/** A place where a variable names fields of `type`. */
export interface CascadeVariable {
  readonly variable: string;
  readonly type: Extract<GraphQLCompositeType, { getFields: unknown }>;
  readonly directive: DirectiveNode;
}

/** The places in the operation and in the document's fragments, as far as the operation declares their variables. */
export function cascadeVariables(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): readonly CascadeVariable[] {
  const declared = new Set(operation.variableDefinitions?.map((each) => each.variable.name.value));
  if (declared.size === 0) return [];
  const found: CascadeVariable[] = [];
  const definitions = document.definitions.filter((each) => each === operation || each.kind === Kind.FRAGMENT_DEFINITION);
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    Field(node) {
      const directive = cascadeOf(node);
      const type = cascadeTarget(types.getType());
      if (!directive || !type) return;
      for (const variable of (directive.arguments ?? []).flatMap((each) => variablesIn(each.value)))
        if (declared.has(variable)) found.push({ variable, type, directive });
    },
  });
  visit({ kind: Kind.DOCUMENT, definitions }, visitor);
  return found;
}

export function checkCascadeVariables(places: readonly CascadeVariable[], values: Readonly<Record<string, unknown>>): readonly GraphQLError[] {
  return places.flatMap(({ variable, type, directive }) =>
    namesIn(values[variable])
      .filter((name) => !Object.hasOwn(type.getFields(), name))
      .map((name) => new GraphQLError(`input: variables.${variable}.${name} ${unknownCascadeField(name, type.name)}`, { nodes: directive })),
  );
}

function variablesIn(value: ValueNode): readonly string[] {
  if (value.kind === Kind.LIST) return value.values.flatMap(variablesIn);
  return value.kind === Kind.VARIABLE ? [value.name.value] : [];
}

function namesIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.flatMap(namesIn) : [];
}
