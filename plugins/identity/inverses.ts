// Reads `@hasInverse`: which two fields are one edge, and which fields are inverses without a directive of their own.

import { type ASTNode, type DirectiveNode, print, valueFromASTUntyped } from "graphql";
import { didYouMean, type Field, type LinkField, type ModelContext, type NodeType } from "../../core/plugin.ts";

/** By field, the name of the field that it is the inverse of. Fields are visited in schema order; the first declaration wins. */
type Declared = Map<Field, string>;

interface Pair {
  readonly field: LinkField;
  readonly other: LinkField;
}

export function readInverses(context: ModelContext): void {
  const uses = context.uses("hasInverse");
  const declared: Declared = new Map(uses.flatMap(({ field, node }) => (field ? [[field, targetName(node) ?? ""] as const] : [])));
  for (const use of uses) {
    const found = use.field && pairOf(use.field, use.node, declared);
    if (!found) continue;
    if ("message" in found) {
      context.report(found.message, found.at, found.hint);
      continue;
    }
    const { field, other } = found;
    if (!declared.has(other)) infer(other, field, declared, context);
    // A fact about an interface's field also holds for the fields that inherit it, so an inherited use adds nothing.
    if (!use.inherited) context.record.inverse(field, other);
  }
}

/** Adds the directive to a target without one, and to the fields that inherit it. */
function infer(other: LinkField, field: LinkField, declared: Declared, { record }: ModelContext): void {
  record.directive(other, "hasInverse", { field: field.name });
  for (const heir of [other, ...heirsOf(other)]) declared.set(heir, field.name);
}

function heirsOf(field: Field): readonly Field[] {
  if (field.owner.kind === "object") return [];
  return field.owner.members.flatMap((member) => {
    const heir = member.fields.get(field.name);
    return heir?.origin === field.owner ? [heir] : [];
  });
}

interface Fault {
  readonly message: string;
  readonly at: ASTNode;
  readonly hint?: string;
}

function pairOf(field: Field, node: DirectiveNode, declared: Declared): Pair | Fault | undefined {
  const start = `Type ${field.owner.name}; Field ${field.name}:`;
  const typeName = field.type.name;
  const target = targetType(field);
  if (!target) {
    const message = `${start} Field ${field.name} is of type ${typeName}, but @hasInverse directive only applies to fields with object types.`;
    return { message, at: field.definition };
  }
  const name = targetName(node);
  if (name === undefined) return { message: `${start} @hasInverse directive doesn't have field argument.`, at: node };
  const other = target === "geo" ? undefined : target.fields.get(name);
  if (!other?.exposure.output) {
    return { message: `${start} inverse field ${name} doesn't exist for type ${typeName}.`, at: node, ...nearField(name, target) };
  }
  const message = mismatch(field, other, declared);
  if (message !== undefined) return { message, at: node };
  return field.role === "link" && other.role === "link" ? { field, other } : undefined;
}

function nearField(name: string, target: NodeType | "geo"): { readonly hint?: string } {
  const near = target === "geo" ? "" : didYouMean(name, [...target.fields.keys()]);
  return near === "" ? {} : { hint: `Nothing is named ${name}${near}` };
}

/** Clients see geo values as objects, but these have no field that could be the inverse. */
function targetType(field: Field): NodeType | "geo" | undefined {
  if (field.role === "value") return field.kind === "geo" ? "geo" : undefined;
  return field.role === "link" && field.target.kind !== "union" ? field.target : undefined;
}

/** An inherited field with its interface's directive is validated as the interface's field. */
function mismatch(field: Field, other: Field, declared: Declared): string | undefined {
  const type = field.origin.name;
  const start = `Type ${type}; Field ${field.name}:`;
  if (other.type.name !== type) {
    return (
      `${start} @hasInverse is required to link the fields of same type, but the field ${other.name} is of the type ` +
      `${print(other.definition.type)} instead of ${type}. To link these make sure the fields are of the same type.`
    );
  }
  const back = declared.get(other);
  if (back === undefined || back === field.name) return undefined;
  const [here, there] = [`${type}.${field.name}`, `${other.owner.name}.${other.name}`];
  return `${start} @hasInverse should be consistant. ${here} is the inverse of ${there}, but ${there} is the inverse of ${type}.${back}.`;
}

/** The text of the argument, a string or an enum value; undefined when absent. */
function targetName(node: DirectiveNode): string | undefined {
  const value = node.arguments?.find((argument) => argument.name.value === "field")?.value;
  return value && String(valueFromASTUntyped(value));
}
