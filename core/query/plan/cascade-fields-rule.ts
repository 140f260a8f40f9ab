// `@cascade(fields: [...])` may only name fields of the selection's type. Dgraph's own rule, with its text and place.

import { type ASTVisitor, type DirectiveNode, type FieldNode, GraphQLError, type ValidationContext, type ValueNode } from "graphql";
import { cascadeTarget } from "./cascade-target.ts";

/** Names given as literals; a variable's are checked once it has a value (`cascade-variables.ts`). */
export function cascadeFieldsRule(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const directive = cascadeOf(node);
      const type = cascadeTarget(context.getType());
      if (!directive || !type) return;
      const fields = type.getFields();
      for (const name of literalNames(directive.arguments?.find((each) => each.name.value === "fields")?.value)) {
        if (Object.hasOwn(fields, name)) continue;
        context.reportError(new GraphQLError(unknownCascadeField(name, type.name), { nodes: directive }));
      }
    },
  };
}

export function unknownCascadeField(name: string, type: string): string {
  return `Field \`${name}\` is not present in type \`${type}\`. You can only use fields in cascade which are in type \`${type}\``;
}

export function cascadeOf(node: FieldNode): DirectiveNode | undefined {
  return node.directives?.find((each) => each.name.value === "cascade");
}

function literalNames(value: ValueNode | undefined): readonly string[] {
  if (value?.kind === "StringValue") return [value.value];
  return value?.kind === "ListValue" ? value.values.flatMap(literalNames) : [];
}
