// `@search`: makes fields filterable, and adds the indexes that their operators need; `@index`: indexes over several fields.

import type { DocumentNode } from "graphql";
import {
  type ApiAdditions,
  type DirectivePlugin,
  type DirectiveUse,
  didYouMean,
  type IndexLayout,
  type LinkField,
  type Model,
  type ModelContext,
  type NodeType,
  type ValueField,
} from "../../core/plugin.ts";
import { splitOptions, wordsOf } from "./arguments.ts";
import { compoundIndexes, indexDefinition, readCompoundIndexes } from "./compound/compound-index.ts";
import { buildFilter } from "./filters.ts";
import type { FieldSearch, IndexKind } from "./ground/kind.ts";
import { builtInKinds } from "./kinds/all-kinds.ts";
import { isLinkSearch, linkAdditions, linkProblem, searchedLinks } from "./links/link-search.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { baseLanguage, knownLanguages } from "./text/languages.ts";
import { checkUse } from "./validate.ts";

/** Further kinds, the default language, and what happens to patterns without an index. */
export interface SearchOptions {
  /** Further words for `@search(by:)`, beside the built-in ones. */
  readonly kinds?: readonly IndexKind[];
  /** BCP 47 tag of the language of fields whose storage name has none, for `fulltext` and `ngram`. Default: `en`. */
  readonly language?: string;
  /** For regular expressions that no index can narrow. `scan` (default): tests every text within the request's limits. `refuse`: an error. */
  readonly unindexedPatterns?: "scan" | "refuse";
}

/** A field and its index kinds, in the order of their words. */
interface Searchable {
  readonly type: NodeType;
  readonly fieldName: string;
  readonly kinds: readonly IndexKind[];
}

/** What a kind adds to a field. */
type SearchBy = (kind: IndexKind, field: ValueField) => FieldSearch | undefined;

/**
 * `@search`: filters and orders, with the indexes that answer them; `@index`: indexes over several fields.
 *
 * @throws TypeError for an unknown language
 */
export function searchPlugin({ kinds = [], language = "en", unindexedPatterns = "scan" }: SearchOptions = {}): DirectivePlugin {
  const registry = createRegistry([...builtInKinds({ withoutTrigrams: unindexedPatterns }), ...kinds]);
  const searchBy = searchIn(language);
  return {
    name: "search",
    // They set the keys and the storage names that filters use.
    follows: ["identity", "storage-names"],
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: `${searchDefinition}${indexDefinition}`,
    // A schema without compound indexes is served as it is.
    definitionsFor: (schema) => (usesIndex(schema) ? `${searchDefinition}${indexDefinition}` : searchDefinition),
    model: (context) => {
      reportProblems(context, registry, searchBy);
      const searchables = searchedFields(context, registry);
      const links = searchedLinks(context);
      const compounds = readCompoundIndexes(context);
      if (searchables.length + compounds.length === 0) return undefined;
      const indexes = () => [...indexesOf(searchables, context.model, searchBy), ...compoundIndexes(compounds)];
      return { layout: () => ({ indexes: indexes() }), api: () => additionsOf(searchables, searchBy, links()) };
    },
  };
}

const searchDefinition = `
  """
  Filters by the field, with an index. by: of a String hash, exact, term, fulltext, regexp, ngram; of a DateTime year, month, day, hour.
  Other types have one kind.
  """
  directive @search(by: [String!]) on FIELD_DEFINITION
`;

function usesIndex({ definitions }: DocumentNode): boolean {
  return definitions.some((definition) => "directives" in definition && definition.directives?.some(({ name }) => name.value === "index"));
}

/** @param fallback the language of fields without a language tag */
function searchIn(fallback: string): SearchBy {
  const known = knownLanguages();
  if (!known.includes(baseLanguage(fallback)))
    throw new TypeError(`searchPlugin: the language ${fallback} is none of ${known.join(" ")}${didYouMean(fallback, known)}`);
  return (kind, field) => kind.search?.({ field, index: indexName(field, kind), language: baseLanguage(field.collation ?? fallback) });
}

function reportProblems({ model, uses, report }: ModelContext, registry: Registry, searchBy: SearchBy): void {
  for (const use of uses("search")) {
    const { type, field } = use;
    if (use.inherited || !type || !field) continue;
    if (isLinkSearch(use)) {
      const clash = linkProblem(use.field);
      if (clash !== undefined) report(clash, use.node.name);
      continue;
    }
    const problem = checkUse(
      {
        ...wordsOf(use.node, { isKey: isKey(type, field.name) }),
        owner: type.name,
        field: field.definition,
        typeName: field.type.name,
        isEnum: model.enums.has(field.type.name),
        inputOf: (kind) => (field.role === "value" ? searchBy(kind, field)?.input : undefined),
      },
      registry,
    );
    if (problem !== undefined) report(problem, use.node.name);
  }
}

function searchedFields({ model, uses }: ModelContext, registry: Registry): readonly Searchable[] {
  return uses("search").flatMap(({ node, type, field }: DirectiveUse) => {
    if (!type || !field) return [];
    const { words } = wordsOf(node, { isKey: isKey(type, field.name) });
    const byDefault = registry.defaultFor(fitName(model, field.type.name));
    const kinds = words.length > 0 ? words.map((word) => registry.get(splitOptions(word).name)) : [byDefault];
    return [{ type, fieldName: field.name, kinds: kinds.filter((kind) => kind !== undefined) }];
  });
}

/** One index for each stored field and kind, for all types that have the field. Equality on a unique key needs no index. */
function indexesOf(searchables: readonly Searchable[], model: Model, searchBy: SearchBy): readonly IndexLayout[] {
  const indexes = new Map<string, IndexLayout>();
  const holders = holdersOf(model);
  for (const searchable of searchables) {
    const field = valueFieldOf(searchable);
    if (!field) continue;
    for (const kind of searchable.kinds) {
      const name = indexName(field, kind);
      const index = searchBy(kind, field)?.index;
      if (index && !(isEqualityIndex(index) && isKeyOfAll(field, holders))) indexes.set(name, { name, field: field.stored, ...index });
    }
  }
  return [...indexes.values()];
}

function additionsOf(searchables: readonly Searchable[], searchBy: SearchBy, links: readonly LinkField[]): ApiAdditions {
  const built = searchables.flatMap((searchable) => {
    const field = valueFieldOf(searchable);
    const searches = field ? searchable.kinds.map((kind) => searchBy(kind, field)).filter((search) => search !== undefined) : [];
    return field && searches.length > 0 ? [buildFilter(field, searches)] : [];
  });
  const definitions = new Map(built.flatMap((each) => [...each.definitions]));
  const ofLinks = linkAdditions(links);
  return {
    filters: built.map((each) => each.filter),
    linkFilters: ofLinks.linkFilters,
    linkOrders: ofLinks.linkOrders,
    definitions: [...definitions.values(), ...ofLinks.definitions].join("\n\n"),
  };
}

function isEqualityIndex(index: NonNullable<FieldSearch["index"]>): boolean {
  return index.by === "value" && !index.ordered;
}

function indexName(field: ValueField, kind: IndexKind): string {
  return `${field.stored}/${kind.name}`;
}

/** The field in the final model: a later plugin may have renamed it or made it computed. */
function valueFieldOf({ type, fieldName }: Searchable): ValueField | undefined {
  const field = type.fields.get(fieldName);
  return field?.role === "value" ? field : undefined;
}

function isKey(type: NodeType, fieldName: string): boolean {
  return type.keys.some((key) => key.field.name === fieldName);
}

/** The concrete types of each stored field. */
type Holders = ReadonlyMap<string, ReadonlySet<NodeType>>;

function holdersOf({ nodeTypes }: Model): Holders {
  const holders = new Map<string, Set<NodeType>>();
  for (const type of nodeTypes.values()) {
    if (type.kind !== "object") continue;
    for (const field of type.fields.values()) {
      if (field.role !== "value") continue;
      const known = holders.get(field.stored);
      if (known) known.add(type);
      else holders.set(field.stored, new Set([type]));
    }
  }
  return holders;
}

/** Whether one key covers all types that have the stored field. */
function isKeyOfAll({ owner, name, stored }: ValueField, holders: Holders): boolean {
  const scope = owner.keys.find((key) => key.field.name === name)?.scope;
  return scope !== undefined && [...(holders.get(stored) ?? [])].every((type) => scope.includes(type));
}

function fitName(model: Model, typeName: string): string {
  return model.enums.has(typeName) ? "enum" : typeName;
}
