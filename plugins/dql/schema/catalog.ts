// The deployed schema as DQL sees it: predicates by name, types by name, and what each predicate is indexed by.

import {
  addToGroup,
  type EdgeLayout,
  type End,
  type EndName,
  type FieldFilter,
  type FieldLayout,
  type FieldName,
  type IndexLayout,
  type Model,
  type NearestIndex,
  type NodeType,
  type ServedSchema,
  type TypeName,
} from "../../../core/plugin.ts";

/** What a name in a document stands for. */
export type Meaning =
  | { readonly kind: "value"; readonly field: FieldLayout }
  | { readonly kind: "edge"; readonly end: End }
  /** `dgraph.type`: the names of a node's types. */
  | { readonly kind: "types" }
  /** `name`, of which the schema stores only languages. */
  | { readonly kind: "untagged" }
  | { readonly kind: "unknown" };

export interface IndexesOfField {
  /** Finds equal values. */
  readonly equality: boolean;
  /** Finds ranges. */
  readonly ordered: boolean;
  /** Inverted indexes by the word of `@search(by:)`: `term`, `trigram`. */
  readonly tokens: ReadonlyMap<string, IndexLayout>;
}

/** What DQL needs of a deployed schema. */
export interface CatalogSource extends Pick<ServedSchema, "model" | "layout" | "filters"> {
  /** Whether the caller may read a predicate; for others it does not exist. By default all. */
  readonly mayRead?: (name: FieldName | EndName) => boolean;
  /** A name for the type of nodes that have none, when there may be some. */
  readonly untyped?: TypeName | undefined;
}

export class Catalog {
  readonly model: Model;
  readonly layout: ServedSchema["layout"];
  readonly #fields = new Map<string, FieldLayout>();
  readonly #ends = new Map<string, End>();
  readonly #languages = new Map<string, readonly string[]>();
  readonly #indexes = new Map<string, { equality: boolean; ordered: boolean; readonly tokens: Map<string, IndexLayout> }>();
  readonly #nearest = new Map<string, NearestIndex>();
  readonly #filters = new Map<string, FieldFilter>();
  /** Words of `@search(by:)`, by field. */
  readonly #tokenizers = new Map<string, string[]>();
  readonly #keys = new Set<string>();
  readonly #holders = new Map<string, readonly TypeName[]>();
  readonly #members = new Map<string, readonly TypeName[]>();
  readonly #typeNames = new Map<TypeName, readonly string[]>();
  readonly #untyped: readonly TypeName[];
  /** All concrete types of the client's schema; and the name for none. */
  readonly types: readonly TypeName[];

  constructor({ model, layout, filters, untyped, mayRead = () => true }: CatalogSource) {
    this.model = model;
    this.#untyped = untyped === undefined ? [] : [untyped];
    this.layout = layout;
    for (const field of layout.fields) if (mayRead(field.name)) this.#addField(field);
    for (const edge of layout.edges) this.#addEdge(edge, mayRead);
    for (const index of layout.indexes) this.#addIndex(index);
    for (const { fields, ends } of layout.keys) if (fields.length === 1 && !ends) this.#addKey(fields[0] ?? "");
    for (const filter of filters) this.#filters.set(filter.field.stored, filter);
    for (const type of model.nodeTypes.values()) this.#addType(type);
    this.types = [...this.#typeNames.keys(), ...this.#untyped];
  }

  /** @param name with one language or none: `name`, `name@de` */
  meaningOf(name: string): Meaning {
    if (name === "dgraph.type") return { kind: "types" };
    const field = this.#fields.get(name);
    if (field) return { kind: "value", field };
    const end = this.#ends.get(name);
    if (end) return { kind: "edge", end };
    return this.#languages.has(name) ? { kind: "untagged" } : { kind: "unknown" };
  }

  /** The languages in which the schema stores `name`, sorted; undefined: it has none. */
  languagesOf(name: string): readonly string[] | undefined {
    return this.#languages.get(name);
  }

  /** The indexes of a field; all languages of a predicate count as indexed when one of them is. */
  indexesOf(field: string): IndexesOfField {
    const own = this.#indexes.get(field);
    const [base = ""] = field.split("@");
    const tags = this.#languages.get(base);
    if (tags === undefined) return own ?? noIndexes;
    const others = [base, ...tags.map((tag) => `${base}@${tag}`)].flatMap((name) => this.#indexes.get(name) ?? []);
    return {
      equality: others.some((each) => each.equality),
      ordered: others.some((each) => each.ordered),
      tokens: new Map([...others.flatMap((each) => [...each.tokens]), ...(own?.tokens ?? [])]),
    };
  }

  /** The index that finds near vectors. */
  nearestIndexOf(field: string): NearestIndex | undefined {
    return this.#nearest.get(field);
  }

  /** The words of `@search(by:)` by which a predicate is indexed, in any of its languages. */
  tokenizersOf(name: string): readonly string[] {
    const fields = [name, ...(this.#languages.get(name) ?? []).map((tag) => `${name}@${tag}`)];
    return [...new Set(fields.flatMap((field) => this.#tokenizers.get(field) ?? []))];
  }

  /** Whether no two nodes of a type have the same value. */
  isKey(name: string): boolean {
    return this.#keys.has(name);
  }

  /** The filter that a plugin gives the field. */
  filterOf(field: string): FieldFilter | undefined {
    return this.#filters.get(field);
  }

  /** The concrete types of a type or interface; none for an unknown name. */
  membersOf(type: string): readonly TypeName[] {
    return this.#members.get(type) ?? [];
  }

  /** The concrete types whose nodes may have the field. */
  holdersOf(field: string): readonly TypeName[] {
    const holders = this.#holders.get(field);
    return holders === undefined ? [] : [...holders, ...this.#untyped];
  }

  /** `dgraph.type` of a node: its concrete type, then the interfaces. */
  typeNamesOf(type: TypeName): readonly string[] {
    return this.#typeNames.get(type) ?? namesOfUntyped(type) ?? [type];
  }

  /** The name of a concrete type in the GraphQL schema. */
  graphqlNameOf(type: TypeName): string | undefined {
    return [...this.model.nodeTypes.values()].find((each) => each.kind === "object" && each.stored === type)?.name;
  }

  /** The predicates that `expand` gives a node of a type or interface, in the schema's order. Passwords and reverse edges are left out. */
  predicatesOf(type: string): readonly string[] {
    const found = [...this.model.nodeTypes.values()].filter((each) => each.stored === type);
    const fields = found.flatMap((each) => [...each.fields.values()]);
    const names = fields.flatMap((field) => {
      if (field.role === "value") return field.kind === "password" || isDerived(field.stored) ? [] : [field.stored];
      return field.role === "link" && field.reverseOf === undefined ? [field.stored] : [];
    });
    return [...new Set(names)];
  }

  #addField(field: FieldLayout): void {
    this.#fields.set(field.name, field);
    const [base = "", tag] = field.name.split("@");
    if (tag === undefined || isDerived(field.name)) return;
    this.#languages.set(base, [...(this.#languages.get(base) ?? []), tag].sort());
  }

  /** The side of an edge that belongs to no field is hidden: a schema declares reverse edges with `@dgraph(pred: "~...")`. */
  #addEdge({ sides }: EdgeLayout, mayRead: (name: EndName) => boolean): void {
    const declared = linkNames(this.model);
    for (const end of sides.flatMap((side) => side.ends)) {
      const name = declared.get(end.name);
      if (name !== undefined && mayRead(end.name)) this.#ends.set(name, end);
    }
  }

  #addKey(field: string): void {
    this.#keys.add(field);
    this.#indexesFor(field).equality = true;
  }

  #addIndex(index: IndexLayout): void {
    if (index.by === "compound") return;
    addToGroup(this.#tokenizers, index.field, index.name.slice(index.field.length + 1));
    const known = this.#indexesFor(index.field);
    if (index.by === "value") {
      known.equality = true;
      known.ordered ||= index.ordered;
    } else if (index.by === "nearest") this.#nearest.set(index.field, index);
    else known.tokens.set(index.name.slice(index.field.length + 1), index);
  }

  #indexesFor(field: string) {
    const known = this.#indexes.get(field) ?? { equality: false, ordered: false, tokens: new Map<string, IndexLayout>() };
    this.#indexes.set(field, known);
    return known;
  }

  #addType(type: NodeType): void {
    const members = type.members.map((member) => member.stored);
    this.#members.set(type.stored, union(this.#members.get(type.stored), members));
    if (type.kind !== "object") return;
    const names = [type, ...interfacesOf(type)].map((each) => each.stored);
    this.#typeNames.set(type.stored, union(this.#typeNames.get(type.stored), names));
    for (const field of type.fields.values()) {
      if (field.role === "value" || field.role === "link") this.#holders.set(field.stored, union(this.#holders.get(field.stored), [type.stored]));
    }
  }
}

const untypedWord = "dql.Untyped";

/** As the types of rows have it for a node without a type: the texts of its `dgraph.type` follow a name that no type has. */
export function untypedName(names: Iterable<string> = []): TypeName {
  return [untypedWord, ...names].join(" ");
}

/** The texts of `dgraph.type` of a node without a type. Undefined: `type` is one of the schema. */
export function namesOfUntyped(type: TypeName): readonly string[] | undefined {
  const [word, ...names] = type.split(" ");
  return word === untypedWord ? names : undefined;
}

const noIndexes: IndexesOfField = { equality: false, ordered: false, tokens: new Map() };

function union(known: readonly string[] = [], more: readonly string[]): readonly string[] {
  return [...new Set([...known, ...more])];
}

/** By the name of an end, its name in DQL: a field that shows another one backwards is `~` and the other's name. */
function linkNames(model: Model): ReadonlyMap<string, string> {
  const fields = [...model.nodeTypes.values()].flatMap((type) => [...type.fields.values()]);
  return new Map(
    fields.flatMap((field) => (field.role === "link" ? [[field.stored, field.reverseOf ? `~${field.reverseOf.stored}` : field.stored]] : [])),
  );
}

function interfacesOf(type: NodeType): readonly NodeType[] {
  return type.interfaces.flatMap((each) => [each, ...interfacesOf(each)]);
}

/** A field that shows the first of several languages. */
function isDerived(name: string): boolean {
  const tag = name.split("@")[1];
  return tag !== undefined && (tag === "." || tag.includes(":"));
}
