// `expand(...)`: the predicates of types, in the place of the field.

import { type MaybePromise, run, type TypeName, type Work } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { ExpandField, Field, PredicateField } from "../language/syntax.ts";
import type { Catalog } from "../schema/catalog.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import type { Variables } from "../state/variables.ts";

export interface ExpandContext {
  readonly catalog: Catalog;
  readonly variables: Variables;
  readonly work: DocumentBudget;
}

/** Values that are looked at in one step. */
const stepValues = 4_096;

/** `fields` with each `expand` replaced by the fields that it stands for at nodes of `types`; the same list when there is none. */
export function expandedFields(
  fields: readonly Field[],
  types: readonly (TypeName | undefined)[],
  context: ExpandContext,
): MaybePromise<readonly Field[]> {
  return fields.some((field) => field.kind === "expand") ? run(expanded(fields, types, context), context.work) : fields;
}

function* expanded(fields: readonly Field[], types: readonly (TypeName | undefined)[], context: ExpandContext): Work<readonly Field[]> {
  const own = [...new Set(types)].filter((type) => type !== undefined);
  const shown = new Set<string>();
  const found: Field[] = [];
  for (const field of fields) {
    if (field.kind !== "expand") found.push(field);
    // Without nodes it stands for nothing.
    else if (types.length > 0) for (const each of newFields(yield* fieldsFor(field, own, context), { field, fields, shown })) found.push(each);
  }
  return found;
}

interface Siblings {
  readonly field: ExpandField;
  /** Those of the level, as written. */
  readonly fields: readonly Field[];
  /** What each `expand` of the level has given. */
  readonly shown: Set<string>;
}

function newFields(given: readonly PredicateField[], { field, fields, shown }: Siblings): readonly PredicateField[] {
  const beside = namesBeside(field, fields);
  return given.filter((each) => {
    const name = shownName(each);
    if (beside.has(name)) throw refusal(`Repeated subgraph: [${name}] while using expand()`);
    return shown.has(name) ? false : shown.add(name);
  });
}

/** The predicates that may not be shown twice. Inside another `expand` those under an alias may, as in Dgraph. */
function namesBeside({ isExpanded }: ExpandField, fields: readonly Field[]): ReadonlySet<string> {
  const predicates = fields.filter((each) => each.kind === "predicate");
  return new Set(predicates.filter(({ alias }) => !isExpanded || alias === undefined).map(shownName));
}

function shownName({ predicate: { name, languages } }: PredicateField): string {
  return languages === undefined ? name : `${name}@${languages}`;
}

function* fieldsFor(expand: ExpandField, own: readonly TypeName[], context: ExpandContext): Work<readonly PredicateField[]> {
  const names = yield* namesFor(expand, own, context);
  return names.flatMap((stored) => {
    const isEdge = context.catalog.meaningOf(stored).kind === "edge";
    // A filter leaves only the edges.
    if (!isEdge && expand.filter) return [];
    return [isEdge ? edgeField(expand, stored) : valueField(expand, stored)];
  });
}

function* namesFor({ source }: ExpandField, own: readonly TypeName[], context: ExpandContext): Work<readonly string[]> {
  const { catalog } = context;
  if (source.kind === "val") return yield* namedBy(source.variable, context);
  const types = source.kind === "own" ? own : source.names;
  return [...new Set(types.flatMap((type) => catalog.predicatesOf(type)))];
}

/** The predicates whose names are values of the variable. Other values name nothing. */
function* namedBy(name: string, { catalog, variables }: ExpandContext): Work<readonly string[]> {
  const variable = variables.get(name);
  if (variable?.kind === "uids" || variable?.kind === "single")
    throw refusal(`Wrong variable type encountered for var(${name}): expand needs texts.`);
  const found = new Set<string>();
  let looked = 0;
  for (const value of variable?.values.values() ?? []) {
    if (typeof value === "string" && catalog.meaningOf(value).kind !== "unknown") found.add(value);
    if (++looked % stepValues === 0) yield;
  }
  return [...found];
}

function edgeField(expand: ExpandField, stored: string): PredicateField {
  const { at, filter, slice, fields } = expand;
  return { ...valueField(expand, stored), predicate: { name: stored, languages: undefined, at }, filter, slice, fields, braces: fields.length > 0 };
}

function valueField({ at }: ExpandField, stored: string): PredicateField {
  const [name = stored, languages] = stored.split("@");
  return {
    kind: "predicate",
    alias: undefined,
    variable: undefined,
    at,
    predicate: { name, languages, at },
    filter: undefined,
    slice: { order: [], first: undefined, offset: undefined, after: undefined },
    cascade: undefined,
    normalize: false,
    groupBy: undefined,
    fields: [],
    braces: false,
    facetVariables: [],
  };
}
