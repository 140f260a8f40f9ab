// The predicates that filters of a document ask about: what is found, and so written, depends on them.

import type { Call, Document, Field, Filter } from "./syntax.ts";

/** Those of roots are left out: a root that the client may not read finds nothing. */
export function filteredPredicates({ blocks }: Document): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { call, filter, fields } of blocks) {
    if (call?.kind === "call" && call.subject.kind === "count") addFilter(call.subject.filter, names);
    addFilter(filter, names);
    addFields(fields, names);
  }
  return names;
}

function addFields(fields: readonly Field[], names: Set<string>): void {
  for (const field of fields) {
    if (field.kind === "predicate" || field.kind === "expand" || field.kind === "count") addFilter(field.filter, names);
    if (field.kind === "predicate" || field.kind === "expand") addFields(field.fields, names);
  }
}

function addFilter(filter: Filter | undefined, names: Set<string>): void {
  if (filter === undefined) return;
  if (filter.kind === "not") addFilter(filter.of, names);
  else if (filter.kind === "call") addCall(filter, names);
  else for (const each of filter.of) addFilter(each, names);
}

function addCall({ subject }: Call, names: Set<string>): void {
  if (subject.kind === "predicate" || subject.kind === "count") names.add(subject.predicate.name);
  if (subject.kind === "count") addFilter(subject.filter, names);
}
