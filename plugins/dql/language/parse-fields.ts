// Parses the fields between the braces of a block or an edge.

import type { Work } from "../../../core/plugin.ts";
import type { Cursor } from "./cursor.ts";
import { parseFilter, parseLanguageList, parsePredicate } from "./parse-call.ts";
import { parseMath } from "./parse-math.ts";
import { SliceReader, wholeList } from "./parse-slice.ts";
import type { AggregateName, Directives, ExpandSource, Field, Filter, GroupKey, Predicate, PredicateField } from "./syntax.ts";

/** Where fields stand, and how fragments are found. */
export interface FieldsPlace {
  /** In a block without a function only aggregates of variables fit; in a `@groupby` only counts and aggregates. */
  readonly in: "nodes" | "empty" | "groups";
  /** Whether an `expand` is around them. */
  readonly isExpanded?: boolean;
  /** The fields of the fragment called `name`. Undefined: fragments are left out. */
  readonly fragment: ((name: string, place: FieldsPlace) => Work<readonly Field[]>) | undefined;
}

type Base = Pick<Field, "alias" | "variable" | "at">;

/** From the opening brace to the closing one. */
export function* parseFields(cursor: Cursor, place: FieldsPlace): Work<readonly Field[]> {
  cursor.expectSign("{");
  cursor.descend();
  const fields: Field[] = [];
  cursor.skipCommas();
  while (!cursor.takeSign("}")) {
    if (cursor.peek().kind === "end") throw cursor.fault("Unclosed action");
    cursor.count();
    if (cursor.peek().kind === "spread") for (const field of yield* parseSpread(cursor, place)) fields.push(field);
    else fields.push(yield* parseField(cursor, place));
    cursor.skipCommas();
    if (cursor.endsStep()) yield;
  }
  cursor.ascend();
  return fields;
}

function* parseSpread(cursor: Cursor, place: FieldsPlace): Work<readonly Field[]> {
  cursor.next();
  const name = cursor.name("the name of a fragment");
  return place.fragment ? yield* place.fragment(name, place) : none;
}

function* parseField(cursor: Cursor, place: FieldsPlace): Work<Field> {
  const at = cursor.place;
  let alias: string | undefined;
  let variable: string | undefined;
  let name = cursor.name("a field");
  if (cursor.takeSign(":")) {
    alias = name;
    name = cursor.name("a field");
  }
  if (cursor.takeAs()) {
    variable = name;
    name = cursor.name("a field");
  }
  const field = yield* parseBody(cursor, name, { place, base: { alias, variable, at } });
  if (field.variable !== undefined && field.kind === "val") throw cursor.fault("Cannot assign a variable to val()", at);
  checkPlace(cursor, name, { field, place });
  return field;
}

interface Body {
  readonly place: FieldsPlace;
  readonly base: Base;
}

const aggregates: ReadonlySet<string> = new Set<AggregateName>(["min", "max", "sum", "avg"]);

function* parseBody(cursor: Cursor, name: string, { place, base }: Body): Work<Field> {
  const word = name.toLowerCase();
  if (!cursor.isSign("(")) return name === "uid" ? { kind: "uid", ...base } : yield* parsePredicateField(cursor, name, { place, base });
  if (name === "uid") throw cursor.fault("Cannot do uid() of a variable", base.at);
  if (word === "count") return yield* parseCount(cursor, base);
  if (word === "val") return withoutBraces(cursor, { kind: "val", of: parseVariable(cursor), ...base });
  if (aggregates.has(word)) return parseAggregate(cursor, word as AggregateName, { place, base });
  if (word === "math") {
    if (base.alias === undefined && base.variable === undefined)
      throw cursor.fault("Function math should be used with a variable or have an alias", base.at);
    return { kind: "math", expression: yield* parseMath(cursor), ...base };
  }
  if (word === "checkpwd") return parsePassword(cursor, base);
  if (word === "expand") return yield* parseExpand(cursor, { place, base });
  return yield* parsePredicateField(cursor, name, { place, base });
}

function withoutBraces<F extends Field>(cursor: Cursor, field: F): F {
  if (cursor.isSign("{")) throw cursor.fault("Query syntax invalid.");
  return field;
}

function parseVariable(cursor: Cursor): string {
  cursor.expectSign("(");
  const token = cursor.peek();
  const variable = token.kind === "number" ? cursor.next().text : cursor.name("a variable");
  cursor.expectSign(")");
  return variable;
}

function* parseCount(cursor: Cursor, base: Base): Work<Field> {
  cursor.expectSign("(");
  if (cursor.isSign(")")) throw cursor.fault("Cannot use count(), please use count(uid)");
  const predicate = parsePredicate(cursor);
  if (predicate.name === "uid") {
    cursor.expectSign(")");
    return withoutBraces(cursor, { kind: "countUid", ...base });
  }
  if (cursor.isSign("(")) throw cursor.fault("Count of a variable is not allowed");
  let filter: Filter | undefined;
  if (cursor.takeDirective("filter")) filter = yield* parseFilter(cursor);
  if (cursor.isSign(",")) throw cursor.fault("Multiple predicates not allowed in single count.");
  cursor.expectSign(")");
  if (cursor.takeDirective("filter")) filter = yield* parseFilter(cursor);
  // A page of a count has no effect.
  if (cursor.isSign("(")) yield* new SliceReader().read(cursor);
  if (cursor.isSign("{")) throw cursor.fault("Cannot have children attributes when asking for count.");
  return { kind: "count", predicate, filter, ...base };
}

function parseAggregate(cursor: Cursor, name: AggregateName, { place, base }: Body): Field {
  cursor.expectSign("(");
  const only = (got: string) => cursor.fault(`Only variables allowed in aggregate functions. Got: ${got}`);
  if (cursor.isSign(")")) throw only(")");
  const predicate = parsePredicate(cursor);
  if (predicate.name.toLowerCase() === "val" && cursor.isSign("(")) {
    const variable = parseVariable(cursor);
    if (place.in === "groups") throw cursor.fault(`Only aggregator/count functions allowed inside @groupby. Got: ${variable}`, base.at);
    cursor.expectSign(")");
    return withoutBraces(cursor, { kind: "aggregate", name, of: { variable }, ...base });
  }
  if (place.in !== "groups") throw only(predicate.name);
  cursor.expectSign(")");
  return withoutBraces(cursor, { kind: "aggregate", name, of: { predicate }, ...base });
}

function parsePassword(cursor: Cursor, base: Base): Field {
  cursor.expectSign("(");
  const predicate = parsePredicate(cursor);
  cursor.expectSign(",");
  const password = cursor.literal("a password");
  cursor.expectSign(")");
  return { kind: "password", predicate, password, ...base };
}

function* parseExpand(cursor: Cursor, { place, base }: Body): Work<Field> {
  if (base.variable !== undefined) throw cursor.fault(`expand() cannot be used with a variable: ${base.variable}`, base.at);
  if (base.alias !== undefined) throw cursor.fault("expand() cannot have an alias", base.at);
  const source = yield* parseExpandSource(cursor);
  const slice = new SliceReader();
  let filter: Filter | undefined;
  for (;;) {
    if (cursor.isSign("(")) yield* slice.read(cursor);
    else if (cursor.takeDirective("filter")) {
      const at = cursor.place;
      filter = yield* parseFilter(cursor);
      if (filter && !isTypeFilter(filter)) throw cursor.fault("expand is only compatible with type filters", at);
    } else break;
  }
  if (cursor.isSign("@")) throw cursor.fault("expand is only compatible with the @filter directive");
  const fields = cursor.isSign("{") ? yield* parseFields(cursor, { ...place, in: "nodes", isExpanded: true }) : [];
  return { kind: "expand", source, isExpanded: place.isExpanded === true, filter, slice: slice.value, fields, ...base };
}

/** `(_all_)`, `(Hive, Keeper)` or `(val(v))`. */
function* parseExpandSource(cursor: Cursor): Work<ExpandSource> {
  const at = cursor.place;
  cursor.expectSign("(");
  const names: string[] = [];
  if (cursor.isSign(")")) throw cursor.fault("Unexpected token ) when reading a type list");
  let variable: string | undefined;
  yield* cursor.list(")", () => {
    const name = cursor.name("a type");
    if (name === "val" && cursor.isSign("(")) variable = parseVariable(cursor);
    names.push(name);
  });
  if (variable !== undefined && names.length > 1) throw cursor.fault("Only one variable allowed inside expand()", at);
  if (variable !== undefined) return { kind: "val", variable };
  const deprecated = names.find((type) => type === "_forward_" || type === "_reverse_");
  if (deprecated !== undefined) throw cursor.fault(`Argument ${deprecated} has been deprecated`, at);
  return names.length === 1 && names[0]?.toLowerCase() === "_all_" ? { kind: "own" } : { kind: "types", names };
}

function isTypeFilter(filter: Filter): boolean {
  if (filter.kind === "call") return filter.name === "type";
  return filter.kind === "not" ? false : filter.of.every(isTypeFilter);
}

const directiveWords: ReadonlySet<string> = new Set(["filter", "cascade", "normalize", "groupby", "facets"]);
const noDirectives: Directives = { filter: undefined, cascade: undefined, normalize: false, groupBy: undefined };
const noFacets: Facets = { hides: false, variables: [] };

function* parsePredicateField(cursor: Cursor, name: string, { place, base }: Body): Work<PredicateField> {
  let predicate: Predicate = { name, languages: undefined, at: base.at };
  // Most fields have none of these.
  let slice: SliceReader | undefined;
  let directives: DirectiveReader | undefined;
  for (;;) {
    if (cursor.isSign("(")) {
      slice ??= new SliceReader();
      yield* slice.read(cursor);
    } else if (!cursor.isSign("@")) break;
    else if (directiveWords.has(cursor.directive ?? "")) {
      directives ??= new DirectiveReader();
      yield* directives.read(cursor);
    } else predicate = { ...predicate, languages: parseTags(cursor) };
  }
  const { value = noDirectives, facets = noFacets } = directives ?? {};
  const braces = cursor.isSign("{");
  if (braces && predicate.languages !== undefined)
    throw cursor.fault(`Cannot have children for attr: ${name} with lang tags: [${predicate.languages}]`);
  const fields = braces ? yield* parseFields(cursor, { ...place, in: value.groupBy ? "groups" : "nodes" }) : none;
  const { cascade, normalize, groupBy } = value;
  const filter = facets.hides ? nothing(base) : value.filter;
  const facetVariables = facets.variables;
  const { alias, variable, at } = base;
  return {
    kind: "predicate",
    predicate,
    slice: slice?.value ?? wholeList,
    filter,
    cascade,
    normalize,
    groupBy,
    fields,
    braces,
    facetVariables,
    alias,
    variable,
    at,
  };
}

const none: readonly Field[] = [];

/** A filter on facets matches nothing, because there are no facets. */
function nothing({ at }: Base): Filter {
  return { kind: "call", name: "uid", subject: { kind: "node" }, arguments: [], options: new Map(), at };
}

/** `@en` after a field; a word before parentheses was meant as a directive. */
function parseTags(cursor: Cursor): string {
  cursor.expectSign("@");
  const at = cursor.place;
  const tags = parseLanguageList(cursor);
  if (cursor.isSign("(") && !tags.includes(":")) throw cursor.fault(`Unknown directive [${tags}]`, at);
  return tags;
}

interface Facets {
  /** Whether a filter on facets hides every node. */
  readonly hides: boolean;
  readonly variables: readonly string[];
}

/** Reads the directives of blocks and edges. */
export class DirectiveReader {
  #value = noDirectives;
  #hasFilter = false;
  #facets = noFacets;

  get value(): Directives {
    return this.#value;
  }

  get facets(): Facets {
    return this.#facets;
  }

  /** One directive with its arguments. @param fold whether capitals do not count */
  *read(cursor: Cursor, { fold = false, repeated }: { readonly fold?: boolean; readonly repeated?: string } = {}): Work<void> {
    const at = cursor.place;
    cursor.expectSign("@");
    const written = cursor.name("a directive");
    switch (fold ? written.toLowerCase() : written) {
      case "filter":
        if (this.#hasFilter) throw cursor.fault(repeated ?? "Use AND, OR and round brackets instead of multiple filter directives.", at);
        this.#hasFilter = true;
        this.#value = { ...this.#value, filter: yield* parseFilter(cursor) };
        return;
      case "cascade":
        this.#value = { ...this.#value, cascade: yield* parseCascade(cursor) };
        return;
      case "normalize":
        this.#value = { ...this.#value, normalize: true };
        return;
      case "groupby":
        if (this.#value.groupBy) throw cursor.fault("Only one group by directive allowed.", at);
        this.#value = { ...this.#value, groupBy: yield* parseGroupKeys(cursor) };
        return;
      case "facets":
        if (fold) break;
        this.#facets = yield* parseFacets(cursor);
        return;
    }
    throw cursor.fault(`Unknown directive [${written}]`, at);
  }
}

function* parseCascade(cursor: Cursor): Work<"all" | readonly string[]> {
  if (!cursor.takeSign("(")) return "all";
  if (cursor.isSign(")")) throw cursor.fault("Unnecessary comma in cascade()");
  const names: string[] = [];
  yield* cursor.list(")", () => {
    const { name, languages } = parsePredicate(cursor);
    names.push(languages === undefined ? name : `${name}@${languages}`);
  });
  return names;
}

function* parseGroupKeys(cursor: Cursor): Work<readonly GroupKey[]> {
  cursor.expectSign("(");
  if (cursor.isSign(")")) throw cursor.fault("Unnecessary comma in groupby()");
  const keys: GroupKey[] = [];
  yield* cursor.list(")", () => {
    const predicate = parsePredicate(cursor);
    keys.push(cursor.takeSign(":") ? { alias: predicate.name, predicate: parsePredicate(cursor) } : { alias: undefined, predicate });
  });
  return keys;
}

/** `@facets`, `@facets(close)`, `@facets(c as close)`, `@facets(eq(close, true))`. */
function* parseFacets(cursor: Cursor): Work<Facets> {
  if (!cursor.takeSign("(")) return noFacets;
  const variables: string[] = [];
  let depth = 1;
  let hides = false;
  while (depth > 0) {
    if (cursor.endsStep()) yield;
    const token = cursor.next();
    if (token.kind === "end") throw cursor.fault("Unclosed Brackets");
    if (token.kind === "sign" && token.text === "(") {
      depth++;
      hides = true;
    } else if (token.kind === "sign" && token.text === ")") depth--;
    else if (token.kind === "name" && cursor.takeAs()) {
      cursor.count();
      variables.push(token.text);
    }
  }
  return { hides, variables };
}

function checkPlace(cursor: Cursor, name: string, { field, place }: { readonly field: Field; readonly place: FieldsPlace }): void {
  if (place.in === "groups" && field.kind !== "countUid" && field.kind !== "aggregate") {
    const shown = field.kind === "count" ? "Only uid predicate is allowed in count within groupby" : "";
    throw cursor.fault(shown || `Only aggregator/count functions allowed inside @groupby. Got: ${name}`, field.at);
  }
  if (place.in === "empty" && field.kind !== "aggregate" && field.kind !== "math")
    throw cursor.fault(`Only aggregation/math functions allowed inside empty blocks. Got: ${name.toLowerCase()}`, field.at);
}
