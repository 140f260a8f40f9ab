// Rewrites a rule for a claim that is a list: `eq: $TEAM` becomes `in: $TEAM`.

import { type DocumentNode, type GraphQLSchema, getNamedType, isInputObjectType, Kind, TypeInfo, visit, visitWithTypeInfo } from "graphql";

/** Undefined when a variable of `names` is used elsewhere than in an `eq` of a filter that also has `in`. */
export function widened(document: DocumentNode, names: ReadonlySet<string>, schema: GraphQLSchema): DocumentNode | undefined {
  let fits = true;
  const types = new TypeInfo(schema);
  const result: DocumentNode = visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition(definition) {
        if (!names.has(definition.variable.name.value)) return false;
        const type = definition.type.kind === Kind.NON_NULL_TYPE ? definition.type.type : definition.type;
        const { defaultValue: _, ...rest } = definition;
        return { ...rest, type: { kind: Kind.LIST_TYPE, type } };
      },
      ObjectField(field) {
        if (field.value.kind !== Kind.VARIABLE || !names.has(field.value.name.value) || field.name.value !== "eq") return undefined;
        const input = getNamedType(types.getParentInputType());
        if (!isInputObjectType(input) || !input.getFields().in) return undefined;
        return { ...field, name: { ...field.name, value: "in" } };
      },
      Variable: {
        // The remaining uses need a single value.
        leave(variable, _key, parent) {
          if (!names.has(variable.name.value) || (parent && "kind" in parent && parent.kind === Kind.VARIABLE_DEFINITION)) return;
          const isAny = parent && "kind" in parent && parent.kind === Kind.OBJECT_FIELD && parent.name.value === "in";
          if (!isAny) fits = false;
        },
      },
    }),
  );
  return fits ? result : undefined;
}
