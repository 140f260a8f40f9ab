// Checks shared by definitions and their fields: names, references to types, arguments, directives.

import {
  type ASTNode,
  type DirectiveDefinitionNode,
  type DirectiveNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  type TypeNode,
} from "graphql";
import { namedType, type TypeKind, typeText } from "./definitions.ts";

/** What is wrong and where; undefined: nothing. */
export type Finding = { readonly message: string; readonly at: ASTNode } | undefined;

/** What a schema may refer to. */
export interface Names {
  readonly types: ReadonlyMap<string, TypeKind>;
  readonly directives: ReadonlyMap<string, DirectiveDefinitionNode>;
}

/** The first finding of `check` over `items`. */
export function first<T>(items: readonly T[], check: (item: T) => Finding): Finding {
  for (const item of items) {
    const finding = check(item);
    if (finding) return finding;
  }
  return undefined;
}

export function nameProblem(node: ASTNode & { readonly name: NameNode }): Finding {
  const name = node.name.value;
  if (!name.startsWith("__")) return undefined;
  return { message: `Name "${name}" must not begin with "__", which is reserved by GraphQL introspection.`, at: node };
}

/** The place of a list type is that of its element. */
export function typeProblem(type: TypeNode, names: Names): Finding {
  if (names.types.has(namedType(type))) return undefined;
  return { message: `Undefined type ${namedType(type)}.`, at: innermost(type) };
}

function innermost(type: TypeNode): TypeNode {
  return type.kind === Kind.NAMED_TYPE ? type : innermost(type.type);
}

export function argumentsProblem(args: readonly InputValueDefinitionNode[], names: Names): Finding {
  return first(
    args,
    (argument) =>
      nameProblem(argument) ??
      typeProblem(argument.type, names) ??
      inputTypeProblem(argument, names) ??
      directivesProblem(argument.directives ?? [], "ARGUMENT_DEFINITION", names),
  );
}

function inputTypeProblem(argument: InputValueDefinitionNode, names: Names): Finding {
  const kind = names.types.get(namedType(argument.type));
  if (kind === "SCALAR" || kind === "ENUM" || kind === "INPUT_OBJECT") return undefined;
  const message = `cannot use ${typeText(argument.type)} as argument ${argument.name.value} because ${kind} is not a valid input type`;
  return { message, at: argument };
}

/** Values of directive arguments are judged by whoever reads the directive. */
export function directivesProblem(directives: readonly DirectiveNode[], location: string, names: Names): Finding {
  return first(directives, (directive) => {
    const name = directive.name.value;
    const definition = names.directives.get(name);
    const problem = (message: string): Finding => ({ message, at: directive });
    if (!definition) return nameProblem(directive) ?? problem(`Undefined directive ${name}.`);
    if (!definition.locations.some((each) => each.value === location)) return problem(`Directive ${name} is not applicable on ${location}.`);
    const strange = directive.arguments?.find((argument) => !definition.arguments?.some((known) => known.name.value === argument.name.value));
    return strange && problem(`${strange.name.value} is not supported as an argument for ${name} directive.`);
  });
}
