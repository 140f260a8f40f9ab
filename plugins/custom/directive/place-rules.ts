// Where `@custom` may stand.

import { type FieldDefinitionNode, Kind, type TypeNode } from "graphql";
import type { CustomUse, Finding } from "./custom-use.ts";
import { resolvingDirectives } from "./definitions.ts";

export function placeFindings({ node, field, definition, type }: CustomUse): readonly Finding[] {
  const findings: Finding[] = [];
  for (const other of ["search", "dgraph"]) {
    if (hasDirective(field, other)) findings.push({ text: `; custom directive not allowed along with @${other} directive.`, at: node });
  }
  const resolving = (field.directives ?? []).filter(({ name }) => resolvingDirectives.includes(name.value));
  if (resolving.length > 1) findings.push({ text: "; a field can have one of @custom and @lambda, once.", at: node });
  if (!type) return findings;
  const fields =
    "fields" in definition ? (definition.fields ?? []).filter((each): each is FieldDefinitionNode => each.kind === Kind.FIELD_DEFINITION) : [];
  if (!fields.some(isIdentifying)) {
    findings.push({
      text: "; @custom directive is only allowed on fields where the type definition has a field with type ID! or a field with @id directive.",
      at: node,
    });
  }
  return findings;
}

export function keyFindings({ node, field, type }: CustomUse): readonly Finding[] {
  if (!type || !isIdentifying(field)) return [];
  return [{ text: "; custom directive not allowed on field of type ID! or field with @id directive.", at: node }];
}

/** A field by which a node is known: of type ID, or with `@id`. */
export function isIdentifying(field: FieldDefinitionNode): boolean {
  return namedType(field.type) === "ID" || hasDirective(field, "id");
}

export function hasDirective({ directives = [] }: Pick<FieldDefinitionNode, "directives">, name: string): boolean {
  return directives.some((each) => each.name.value === name);
}

export function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}
