// Edits of a schema text at the place that they are about: everything else stays as it is written.

import { type DirectiveNode, type FieldDefinitionNode, Kind, parse, type TypeNode } from "graphql";
import { namedType } from "./written-types.ts";

/** The text with `@search` on the field, or with more kinds of it; undefined: the field has all that it can have, or is not declared here. */
export function withIndex(text: string, type: string, field: string): string | undefined {
  const found = fieldIn(text, type, field);
  if (found === undefined) return undefined;
  const named = namedType(found.type);
  const search = found.directives?.find(({ name }) => name.value === "search");
  const kinds = kindsOfIndex[named];
  if (search === undefined) {
    const args = kinds === undefined ? "" : `(by: [${kinds.join(", ")}])`;
    return insert(text, endOf(found.type), ` @search${args}`);
  }
  const missing = (kinds ?? []).filter((kind) => !writtenKinds(search).includes(kind));
  if (kinds === undefined || missing.length === 0 || search.loc === undefined) return undefined;
  const all = [...writtenKinds(search).filter((kind) => kind !== "hash"), ...missing];
  return `${text.slice(0, search.loc.start)}@search(by: [${all.join(", ")}])${text.slice(search.loc.end)}`;
}

/** Filters and orders of texts need these; other kinds of fields have one index. */
const kindsOfIndex: Readonly<Record<string, readonly string[]>> = { String: ["exact", "term", "trigram"] };

function writtenKinds(search: DirectiveNode): readonly string[] {
  const value = search.arguments?.find(({ name }) => name.value === "by")?.value;
  if (value?.kind === Kind.LIST) return value.values.flatMap((each) => (each.kind === Kind.ENUM || each.kind === Kind.STRING ? [each.value] : []));
  return value?.kind === Kind.ENUM ? [value.value] : [];
}

/** The field where the text declares it: in the type itself, in an extension, or in an interface of it. */
function fieldIn(text: string, type: string, field: string): FieldDefinitionNode | undefined {
  const definitions = definitionsIn(text);
  const own = definitions.filter(({ name }) => name.value === type);
  const names = new Set([type, ...own.flatMap(({ interfaces }) => (interfaces ?? []).map(({ name }) => name.value))]);
  const owners = [...own, ...definitions.filter(({ name }) => name.value !== type && names.has(name.value))];
  return owners.flatMap(({ fields }) => fields ?? []).find(({ name }) => name.value === field);
}

function definitionsIn(text: string) {
  try {
    return parse(text).definitions.flatMap((each) =>
      each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.INTERFACE_TYPE_DEFINITION || each.kind === Kind.OBJECT_TYPE_EXTENSION
        ? [each]
        : [],
    );
  } catch {
    return [];
  }
}

function endOf({ loc }: TypeNode): number {
  return loc?.end ?? 0;
}

function insert(text: string, at: number, part: string): string {
  return `${text.slice(0, at)}${part}${text.slice(at)}`;
}
