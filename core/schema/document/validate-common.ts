// Checks of names, type references, arguments and directives, for definitions and fields.

import {
  type ASTNode,
  type DirectiveDefinitionNode,
  type DirectiveNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  type TypeNode,
} from "graphql";
import { didYouMean } from "../../ground/near-name.ts";
import { namedType, type TypeKind, typeText } from "./definitions.ts";

/** A problem and its node; undefined: no problem. */
export type Finding = { readonly message: string; readonly at: ASTNode; readonly hint?: string } | undefined;

/** Types and directives that a schema may refer to. */
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

/** A problem of a list type is located at its element type. */
export function typeProblem(type: TypeNode, { types }: Names): Finding {
  const name = namedType(type);
  return types.has(name) ? undefined : { message: `Undefined type ${name}.`, at: innermost(type), ...nearHint(name, types.keys()) };
}

/** A hint that suggests the most similar known name, if there is one. */
export function nearHint(name: string, known: Iterable<string>): { readonly hint?: string } {
  const near = didYouMean(name, [...known]);
  return near === "" ? {} : { hint: `Nothing is named ${name}${near}` };
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

/** Does not check the values of arguments: `DirectiveArguments` or the plugin does. */
export function directivesProblem(directives: readonly DirectiveNode[], location: string, names: Names): Finding {
  return first(directives, (directive) => {
    const name = directive.name.value;
    const definition = names.directives.get(name);
    if (!definition)
      return nameProblem(directive) ?? { message: `Undefined directive ${name}.`, at: directive, ...nearHint(name, names.directives.keys()) };
    if (!definition.locations.some((each) => each.value === location)) {
      return { message: `Directive ${name} is not applicable on ${location}.`, at: directive };
    }
    const unknown = directive.arguments?.find((argument) => !definition.arguments?.some((known) => known.name.value === argument.name.value));
    if (!unknown) return undefined;
    const known = definition.arguments?.map((argument) => argument.name.value) ?? [];
    const message = `${unknown.name.value} is not supported as an argument for ${name} directive.`;
    return { message, at: directive, ...nearHint(unknown.name.value, known) };
  });
}
