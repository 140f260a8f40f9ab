// A subscription has one root field, whatever its variables hold: `@skip` and `@include` may not decide about it. The rule of the `graphql`
// package looks at these conditions before a variable has a value, and throws where one needs a value.

import { type ASTVisitor, type DirectiveNode, type FieldNode, GraphQLError, Kind, type SelectionNode, type ValidationContext } from "graphql";

/** @see https://spec.graphql.org/draft/#sec-Single-Root-Field */
export function singleSubscriptionRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, name, selectionSet }) {
      if (operation !== "subscription") return;
      const subject = name ? `Subscription "${name.value}"` : "Anonymous Subscription";
      for (const { text, nodes } of problemsOf(rootOf(context, selectionSet.selections))) {
        context.reportError(new GraphQLError(`${subject} must ${text}`, { nodes }));
      }
    },
  };
}

interface Root {
  readonly fields: readonly FieldNode[];
  readonly conditions: readonly DirectiveNode[];
}

interface Problem {
  readonly text: string;
  readonly nodes: readonly (FieldNode | DirectiveNode)[];
}

function problemsOf({ fields, conditions }: Root): readonly Problem[] {
  if (conditions.length > 0) return [{ text: "not use `@skip` or `@include` directives in the top level selection.", nodes: conditions }];
  const others = fields.filter((each) => keyOf(each) !== keyOf(fields[0] ?? each));
  const introspection = fields.filter(({ name }) => name.value.startsWith("__"));
  const problems = [
    { text: "select only one top level field.", nodes: others },
    { text: "not select an introspection top level field.", nodes: introspection },
  ];
  return problems.filter(({ nodes }) => nodes.length > 0);
}

function keyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** What stands at the root, in fragments too. A fragment is looked into once. */
function rootOf(context: ValidationContext, root: readonly SelectionNode[]): Root {
  const fields: FieldNode[] = [];
  const conditions: DirectiveNode[] = [];
  const seen = new Set<string>();
  const look = (selections: readonly SelectionNode[]): void => {
    for (const each of selections) {
      for (const directive of each.directives ?? []) if (isCondition(directive)) conditions.push(directive);
      if (each.kind === Kind.FIELD) fields.push(each);
      else if (each.kind === Kind.INLINE_FRAGMENT) look(each.selectionSet.selections);
      else if (!seen.has(each.name.value)) {
        seen.add(each.name.value);
        look(context.getFragment(each.name.value)?.selectionSet.selections ?? []);
      }
    }
  };
  look(root);
  return { fields, conditions };
}

function isCondition({ name }: DirectiveNode): boolean {
  return name.value === "skip" || name.value === "include";
}
