// `expand(...)`: the predicates of types, in the place of the field.

import type { TypeName } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { ExpandField, Field, PredicateField } from "../language/syntax.ts";
import type { Catalog } from "../schema/catalog.ts";

/** `fields` with each `expand` replaced by fields of its types; the same list when there is none. */
export function expandedFields(fields: readonly Field[], types: readonly (TypeName | undefined)[], catalog: Catalog): readonly Field[] {
  if (!fields.some((field) => field.kind === "expand")) return fields;
  const own = [...new Set(types)].filter((type) => type !== undefined);
  const names = new Set<string>();
  const beside = new Set(fields.flatMap((each) => (each.kind === "predicate" ? [shownName(each)] : [])));
  return fields.flatMap((field) => {
    if (field.kind !== "expand") return [field];
    return fieldsFor(field, own, catalog).filter((each) => {
      const name = shownName(each);
      if (beside.has(name)) throw refusal(`Repeated subgraph: [${name}] while using expand()`);
      return names.has(name) ? false : names.add(name);
    });
  });
}

function shownName({ predicate: { name, languages } }: PredicateField): string {
  return languages === undefined ? name : `${name}@${languages}`;
}

function fieldsFor(expand: ExpandField, own: readonly TypeName[], catalog: Catalog): readonly PredicateField[] {
  const types = expand.types ?? own;
  const names = [...new Set(types.flatMap((type) => catalog.predicatesOf(type)))];
  return names.flatMap((stored) => {
    const isEdge = catalog.meaningOf(stored).kind === "edge";
    // A filter leaves only the edges.
    if (!isEdge && expand.filter) return [];
    return [fieldFor(expand, stored, isEdge)];
  });
}

function fieldFor({ at, filter, slice, fields }: ExpandField, stored: string, isEdge: boolean): PredicateField {
  const [name = stored, languages] = isEdge ? [stored] : stored.split("@");
  return {
    kind: "predicate",
    alias: undefined,
    variable: undefined,
    at,
    predicate: { name, languages, at },
    filter: isEdge ? filter : undefined,
    slice: isEdge ? slice : { order: [], first: undefined, offset: undefined, after: undefined },
    cascade: undefined,
    normalize: false,
    groupBy: undefined,
    fields: isEdge ? fields : [],
    braces: isEdge && fields.length > 0,
    facetVariables: [],
  };
}
