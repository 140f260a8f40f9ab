// `@search`: which fields can be filtered, by which operators, and which indexes storage keeps for them.

import type { ApiAdditions, DirectivePlugin, DirectiveUse, IndexLayout, Model, ModelContext, NodeType, ValueField } from "../../core/index.ts";
import { splitOptions, wordsOf } from "./arguments.ts";
import { buildFilter } from "./filters.ts";
import { builtInKinds } from "./kinds/index.ts";
import type { FieldSearch, IndexKind } from "./kinds/kind.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { checkUse } from "./validate.ts";

export interface SearchOptions {
  /** Further words for `@search(by:)`, beside the built-in ones. */
  readonly kinds?: readonly IndexKind[];
}

/** A field and the kinds that serve it, in the order of their words. */
interface Searchable {
  readonly type: NodeType;
  readonly fieldName: string;
  readonly kinds: readonly IndexKind[];
}

export function searchPlugin(options: SearchOptions = {}): DirectivePlugin {
  const registry = createRegistry([...builtInKinds, ...(options.kinds ?? [])]);
  return {
    name: "search",
    // They make the keys and the storage names that fields are searched by.
    follows: ["identity", "storage-names"],
    definitions: "directive @search(by: [String!]) on FIELD_DEFINITION",
    model: (context) => {
      reportProblems(context, registry);
      const searchables = searchedFields(context, registry);
      if (searchables.length === 0) return undefined;
      return { layout: () => ({ indexes: indexesOf(searchables, context.model) }), api: () => filtersOf(searchables) };
    },
  };
}

function reportProblems({ model, uses, report }: ModelContext, registry: Registry): void {
  for (const use of uses("search")) {
    const { type, field } = use;
    if (use.inherited || !type || !field) continue;
    const problem = checkUse(
      {
        ...wordsOf(use.node, isKey(type, field.name)),
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
    const { words } = wordsOf(node, isKey(type, field.name));
    const byDefault = registry.defaultFor(fitName(model, field.type.name));
    const kinds = words.length > 0 ? words.map((word) => registry.get(splitOptions(word).name)) : [byDefault];
    return [{ type, fieldName: field.name, kinds: kinds.filter((kind) => kind !== undefined) }];
  });
}

/** One index for each stored field and kind, whatever the number of types that hold the field. A key answers equality by itself. */
function indexesOf(searchables: readonly Searchable[], model: Model): readonly IndexLayout[] {
  const indexes = new Map<string, IndexLayout>();
  for (const searchable of searchables) {
    const field = valueFieldOf(searchable);
    if (!field) continue;
    for (const kind of searchable.kinds) {
      const name = indexName(field, kind);
      const index = searchBy(kind, field)?.index;
      if (index && !(isEqualityIndex(index) && isKeyOfAll(field, model))) indexes.set(name, { name, field: field.stored, ...index });
    }
  }
  return [...indexes.values()];
}

function filtersOf(searchables: readonly Searchable[]): ApiAdditions {
  const built = searchables.flatMap((searchable) => {
    const field = valueFieldOf(searchable);
    const searches = field ? searchable.kinds.map((kind) => searchBy(kind, field)).filter((search) => search !== undefined) : [];
    return field && searches.length > 0 ? [buildFilter(field, searches)] : [];
  });
  const definitions = new Map(built.flatMap((each) => [...each.definitions]));
  return { filters: built.map((each) => each.filter), definitions: [...definitions.values()].join("\n\n") };
}

function isEqualityIndex(index: NonNullable<FieldSearch["index"]>): boolean {
  return index.by === "value" && !index.ordered;
}

function searchBy(kind: IndexKind, field: ValueField): FieldSearch | undefined {
  return kind.search?.({ field, index: indexName(field, kind) });
}

function indexName(field: ValueField, kind: IndexKind): string {
  return `${field.stored}/${kind.name}`;
}

/** As the finished model has it: plugins that come later may have renamed the field, or compute it now. */
function valueFieldOf({ type, fieldName }: Searchable): ValueField | undefined {
  const field = type.fields.get(fieldName);
  return field?.role === "value" ? field : undefined;
}

function isKey(type: NodeType, fieldName: string): boolean {
  return type.keys.some((key) => key.field.name === fieldName);
}

/** Whether one key covers every type that holds the stored field. */
function isKeyOfAll({ owner, name, stored }: ValueField, model: Model): boolean {
  const scope = owner.keys.find((key) => key.field.name === name)?.scope;
  const holders = [...model.nodeTypes.values()].filter((type) => type.kind === "object" && holds(type, stored));
  return scope !== undefined && holders.every((type) => scope.includes(type));
}

function holds(type: NodeType, stored: string): boolean {
  return [...type.fields.values()].some((field) => field.role === "value" && field.stored === stored);
}

function fitName(model: Model, typeName: string): string {
  return model.enums.has(typeName) ? "enum" : typeName;
}
