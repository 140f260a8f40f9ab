// Languages of predicates: which stored fields `name@fr:de:.` looks at.

import { refusal } from "../language/problem.ts";
import type { Predicate } from "../language/syntax.ts";
import type { Catalog } from "./catalog.ts";

/**
 * The stored names that a predicate looks at, the first that has a value first. Without languages: the name itself.
 *
 * @throws QuernError when the predicate has no languages, or an edge is read backwards that the schema does not declare
 */
export function fieldsOf({ name, languages }: Predicate, catalog: Catalog): readonly string[] {
  if (languages === undefined) {
    assertReverse(name, catalog);
    return [name];
  }
  const known = catalog.languagesOf(name);
  if (known === undefined) {
    if (catalog.meaningOf(name).kind === "unknown") return [];
    throw refusal(`Language tags can only be used with predicates of string type having @lang directive in schema. Got: [${name}]`);
  }
  const any = [name, ...known.map((tag) => `${name}@${tag}`)];
  const names = languages.split(":").flatMap((tag) => (tag === "." || tag === "*" ? any : [`${name}@${tag}`]));
  return [...new Set(names)].filter((each) => catalog.meaningOf(each).kind === "value");
}

function assertReverse(name: string, catalog: Catalog): void {
  if (!name.startsWith("~") || catalog.meaningOf(name).kind !== "unknown") return;
  const forward = name.slice(1);
  if (catalog.meaningOf(forward).kind !== "unknown") throw refusal(`Predicate ${forward} doesn't have reverse edge`);
}
