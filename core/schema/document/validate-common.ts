// Checks of names, type references, arguments and directives, for definitions and fields. Each yields its findings in the order that clients expect.

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
import type { Suggestions } from "./suggestions.ts";

/** A problem and its node. */
export interface Finding {
  readonly message: string;
  readonly at: ASTNode;
  readonly hint?: string;
  /** The unknown name, and the known one that it is probably meant to be. */
  readonly meant?: Meant;
  /** The node that is wrong, where `at` is one around it. */
  readonly part?: ASTNode;
}

export interface Meant {
  readonly name: string;
  readonly near: string;
}

export type Findings = Generator<Finding, void>;

/** Types and directives that a schema may refer to. */
export interface Names {
  readonly types: ReadonlyMap<string, TypeKind>;
  /** Values of the enums of arguments of directives. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
  readonly directives: ReadonlyMap<string, DirectiveDefinitionNode>;
  readonly suggestions: Suggestions;
}

export function* nameFindings(node: ASTNode & { readonly name: NameNode }): Findings {
  const name = node.name.value;
  if (!name.startsWith("__")) return;
  yield { message: `Name "${name}" must not begin with "__", which is reserved by GraphQL introspection.`, at: node };
}

/** A problem of a list type is located at its element type. */
export function* typeFindings(type: TypeNode, names: Names): Findings {
  const name = namedType(type);
  if (!names.types.has(name)) yield { message: `Undefined type ${name}.`, at: innermost(type), ...nearHint(name, typesOf(names)) };
}

/** Names among which a misspelled one is looked for. */
interface Candidates {
  readonly kind: string;
  readonly known: Iterable<string>;
  readonly suggestions: Suggestions;
}

export function typesOf({ types, suggestions }: Names): Candidates {
  return { kind: "type", known: types.keys(), suggestions };
}

/** A hint that suggests the most similar known name, if there is one. */
export function nearHint(name: string, { kind, known, suggestions }: Candidates): Pick<Finding, "hint" | "meant"> {
  const near = suggestions.nearest(name, kind, known);
  return near === undefined ? {} : { hint: `Nothing is named ${name}; did you mean "${near}"?`, meant: { name, near } };
}

function innermost(type: TypeNode): TypeNode {
  return type.kind === Kind.NAMED_TYPE ? type : innermost(type.type);
}

export function* argumentsFindings(args: readonly InputValueDefinitionNode[], names: Names): Findings {
  for (const argument of args) {
    yield* nameFindings(argument);
    yield* typeFindings(argument.type, names);
    yield* inputTypeFindings(argument, names);
    yield* directivesFindings(argument.directives ?? [], "ARGUMENT_DEFINITION", names);
  }
}

/** An unknown type is no wrong one. */
function* inputTypeFindings(argument: InputValueDefinitionNode, names: Names): Findings {
  const kind = names.types.get(namedType(argument.type));
  if (kind === undefined || kind === "SCALAR" || kind === "ENUM" || kind === "INPUT_OBJECT") return;
  yield {
    message: `cannot use ${typeText(argument.type)} as argument ${argument.name.value} because ${kind} is not a valid input type`,
    at: argument,
  };
}

/** Does not check the values of arguments: `DirectiveArguments` or the plugin does. */
export function* directivesFindings(directives: readonly DirectiveNode[], location: string, names: Names): Findings {
  for (const directive of directives) yield* directiveFindings(directive, location, names);
}

function* directiveFindings(directive: DirectiveNode, location: string, names: Names): Findings {
  const name = directive.name.value;
  const definition = names.directives.get(name);
  if (definition === undefined) return yield* unknownDirective(directive, names);
  if (!definition.locations.some((each) => each.value === location)) {
    return yield { message: `Directive ${name} is not applicable on ${location}.`, at: directive };
  }
  const known = definition.arguments?.map((argument) => argument.name.value) ?? [];
  for (const { name: given } of directive.arguments ?? []) {
    if (known.includes(given.value)) continue;
    const message = `${given.value} is not supported as an argument for ${name} directive.`;
    const near = nearHint(given.value, { kind: `@${name}`, known, suggestions: names.suggestions });
    yield { message, at: directive, ...(near.hint === undefined ? { hint: argumentsHint(definition, names) } : near) };
  }
}

function* unknownDirective(directive: DirectiveNode, { directives, suggestions }: Names): Findings {
  const name = directive.name.value;
  if (name.startsWith("__")) return yield* nameFindings(directive);
  const near = nearHint(name, { kind: "directive", known: directives.keys(), suggestions });
  yield { message: `Undefined directive ${name}.`, at: directive, ...near };
}

/** `@format takes type: EMAIL, URL, IP.` */
function argumentsHint({ name, arguments: known = [] }: DirectiveDefinitionNode, { enums }: Names): string {
  const texts = known.map((argument) => {
    const values = enums.get(namedType(argument.type));
    return values === undefined ? `${argument.name.value}: ${typeText(argument.type)}` : `${argument.name.value}: ${values.join(", ")}`;
  });
  return `@${name.value} takes ${texts.length === 0 ? "no arguments" : texts.join("; ")}.`;
}
