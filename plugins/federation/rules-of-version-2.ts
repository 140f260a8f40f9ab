// What a schema of federation 2 must keep to in one subgraph. What subgraphs must agree on, composition checks.

import type { DirectiveNode } from "graphql";
import type { DirectiveUse, NodeType } from "../../core/plugin.ts";
import { type FieldSetItem, parseFieldSet } from "./field-set.ts";
import {
  directiveNamed,
  type FederationContext,
  fieldNamed,
  fieldsArgument,
  isMarked,
  type Problem,
  problem,
  usesOf,
} from "./schema/schema-context.ts";

export function version2Problems(federation: FederationContext): readonly Problem[] {
  return [
    ...linkProblems(federation),
    ...usesOf(federation, "key").flatMap(keyProblems),
    ...usesOf(federation, "extends").flatMap((use) => extensionProblems(use, federation)),
    ...usesOf(federation, "external").flatMap((use) => externalProblems(use, federation)),
    ...usesOf(federation, "requires").flatMap((use) => requiresProblems(use, federation)),
    ...usesOf(federation, "provides").flatMap((use) => providesProblems(use, federation)),
  ];
}

function linkProblems({ dialect: { link, unknown } }: FederationContext): readonly Problem[] {
  if (!link) return [];
  return unknown.map((name) => problem(`@link imports @${name}, which this version of Quern does not have.`, link, "Leave it out of the imports."));
}

function keyProblems({ definition, node, type }: DirectiveUse): readonly Problem[] {
  const name = definition.name.value;
  const remote = directiveNamed(definition, "remote");
  if (remote) return [problem(`Type ${name}; @remote directive cannot be defined with @key directive`, remote)];
  if (!type) return [];
  if (type.kind === "interface") {
    const hint = "Put @key on the types that implement the interface.";
    return [problem(`Type ${name}; @key on an interface asks for entity interfaces, which this version of Quern does not have.`, node, hint)];
  }
  const { items, problems } = readSet(`Type ${name}; @key`, node);
  const [only] = items;
  if (only && items.length === 1 && only.below.length === 0) return uniqueProblems(type, only.name, node);
  return [...problems, ...items.flatMap((item) => partProblems(type, item, node))];
}

interface ReadSet {
  readonly items: readonly FieldSetItem[];
  readonly problems: readonly Problem[];
}

function readSet(start: string, node: DirectiveNode): ReadSet {
  const { node: argument = node, text } = fieldsArgument(node);
  const items = parseFieldSet(text);
  if (typeof items !== "string") return { items, problems: [] };
  const reason = text.trim() === "" ? "Argument fields must be defined." : `fields "${text}" cannot be read: ${items}.`;
  return { items: [], problems: [problem(`${start}: ${reason}`, argument)] };
}

/** One field identifies nodes only if it is unique. */
function uniqueProblems(type: NodeType, name: string, node: DirectiveNode): readonly Problem[] {
  const { node: argument = node } = fieldsArgument(node);
  const field = type.fields.get(name);
  if (!field) return [unknownField(type, name, node)];
  if (field.role === "id" || type.keys.some((key) => key.field === field)) return [];
  const scoped = type.scopedKeys.find((key) => key.field === field);
  const hint = scoped ? `${name} is a key within other fields: name these in @key too.` : `Write ${name}: ${field.type.name}! @id.`;
  return [problem(`Type ${type.name}: Field ${name}: used inside @key directive should be of type ID or have @id directive.`, argument, hint)];
}

function unknownField(type: NodeType, name: string, node: DirectiveNode): Problem {
  const { node: argument = node } = fieldsArgument(node);
  return problem(`Type ${type.name}; @key directive uses a field ${name} which is not defined inside the type.`, argument);
}

function partProblems(type: NodeType, { name, below }: FieldSetItem, node: DirectiveNode): readonly Problem[] {
  const { node: argument = node } = fieldsArgument(node);
  const field = type.fields.get(name);
  const refuse = (reason: string) => [problem(`Type ${type.name}: Field ${name}: used inside @key directive ${reason}`, argument)];
  if (!field) return [unknownField(type, name, node)];
  if (field.type.list) return refuse("must not be a list.");
  if (field.role === "computed" || (field.role === "value" && field.kind === "geo")) return refuse("must be stored.");
  if (field.role !== "link") return below.length > 0 ? refuse("has no fields.") : [];
  if (below.length === 0) return refuse("must name fields of the type that it leads to.");
  const { target } = field;
  if (target.kind !== "object") return refuse("must lead to an object type.");
  return below.flatMap((inner) => partProblems(target, inner, node));
}

function extensionProblems({ definition, node }: DirectiveUse, federation: FederationContext): readonly Problem[] {
  if (isMarked(definition, "key", federation)) return [];
  return [problem(`Type ${definition.name.value}; Type Extension cannot be defined without @key directive`, node)];
}

/** Directives of a field that its owner decides about. */
const ownersDirectives = ["hasInverse", "search", "dgraph", "storage", "id"];

function externalProblems({ definition, field }: DirectiveUse, federation: FederationContext): readonly Problem[] {
  if (!field || keyNames(definition, federation).has(field.name)) return [];
  const start = `Type ${definition.name.value}: Field ${field.name}:`;
  return ownersDirectives.flatMap((name) => {
    const misplaced = directiveNamed(field.definition, name);
    return misplaced ? [problem(`${start} @${name} directive can not be defined on @external fields that are not @key.`, misplaced)] : [];
  });
}

/** The fields that some key of the type names. */
export function keyNames(definition: DirectiveUse["definition"], { dialect }: Pick<FederationContext, "dialect">): ReadonlySet<string> {
  const names = dialect.namesOf("key");
  const keys = definition.directives?.filter(({ name }) => names.includes(name.value)) ?? [];
  return new Set(keys.flatMap((key) => topNames(key)));
}

/** The first level of the fields that a directive names. */
export function topNames(directive: DirectiveNode): readonly string[] {
  const items = parseFieldSet(fieldsArgument(directive).text);
  return typeof items === "string" ? [] : items.map(({ name }) => name);
}

function requiresProblems({ definition, field, node }: DirectiveUse, federation: FederationContext): readonly Problem[] {
  if (!field) return [];
  const type = definition.name.value;
  const { items, problems } = readSet(`Type ${type}: Field ${field.name}: @requires`, node);
  const own = items.flatMap(({ name }) => {
    const required = fieldNamed(definition, name);
    if (!required) return [problem(`Type ${type}; @requires directive uses a field ${name} which is not defined inside the type.`, node)];
    return isMarked(required, "external", federation) ? [] : [problem(`Type ${type}; Field ${name} must be @external.`, node)];
  });
  return [...problems, ...own];
}

function providesProblems({ definition, field, node }: DirectiveUse, federation: FederationContext): readonly Problem[] {
  if (!field) return [];
  const start = `Type ${definition.name.value}; Field ${field.name}`;
  const target = federation.context.model.nodeTypes.get(field.type.name)?.definition;
  if (!target || field.role !== "link") return [problem(`${start} does not return a type whose fields it could provide.`, node)];
  const { items, problems } = readSet(`${start}: @provides`, node);
  const unknown = items.filter(({ name }) => !fieldNamed(target, name));
  return [...problems, ...unknown.map(({ name }) => problem(`${start}: @provides field ${name} doesn't exist for type ${target.name.value}.`, node))];
}
