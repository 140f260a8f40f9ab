// A directive that bounds how many nodes a field is about fits updates and deletes: elsewhere it would be ignored.

import { GraphQLError, type ValidationRule } from "graphql";
import type { Api } from "../../schema/api/api.ts";

/** @param counting names of such directives */
export function countingFieldsRule(counting: ReadonlySet<string>, mutations: Api["mutations"]): ValidationRule {
  return (context) => ({
    Field(node) {
      const use = node.directives?.find(({ name }) => counting.has(name.value));
      if (!use) return;
      const isRoot = context.getParentType() === context.getSchema().getMutationType();
      const kind = isRoot ? mutations.get(node.name.value)?.kind : undefined;
      if (kind === "update" || kind === "delete") return;
      const message = `@${use.name.value} is for fields of Mutation that update or delete objects, and ${node.name.value} is none.`;
      context.reportError(new GraphQLError(message, { nodes: [use] }));
    },
  });
}
