// A small world for random rules: its types, its objects as plain data, and its schema as text.

export type TypeName = "Item" | "Box" | "Tool" | "Book" | "Pen" | "Thing";

interface Kind {
  /** Value fields besides `name`. */
  readonly values: readonly string[];
  readonly links: Readonly<Record<string, { readonly to: TypeName; readonly many: boolean }>>;
  readonly members: readonly TypeName[];
}

const item = { home: { to: "Box", many: false } } as const;

export const kinds: Readonly<Record<TypeName, Kind>> = {
  Item: { values: ["n", "tag"], links: item, members: ["Tool", "Book"] },
  Tool: { values: ["n", "tag", "weight"], links: { ...item, spare: { to: "Tool", many: false } }, members: ["Tool"] },
  Book: { values: ["n", "tag", "pages"], links: { ...item, author: { to: "Pen", many: false } }, members: ["Book"] },
  Box: {
    values: ["n", "tag", "seal"],
    links: { items: { to: "Item", many: true }, next: { to: "Box", many: false }, things: { to: "Thing", many: true } },
    members: ["Box"],
  },
  Pen: { values: ["n", "tag"], links: { books: { to: "Book", many: true } }, members: ["Pen"] },
  Thing: { values: [], links: {}, members: ["Tool", "Pen"] },
};

/** Types with rules of their own. */
export const ruledTypes = ["Item", "Box", "Tool", "Book", "Pen"] as const;
export type RuledType = (typeof ruledTypes)[number];
export const concreteTypes = ["Box", "Tool", "Book", "Pen"] as const;
export type ConcreteType = (typeof concreteTypes)[number];

/** Fields with rules of their own. `Tool` repeats a field of its interface, and adds its rule to that one's. */
export const ruledFields: Readonly<Record<RuledType, readonly string[]>> = {
  Item: ["n", "tag", "home"],
  Box: ["n", "tag", "seal", "items", "next"],
  Tool: ["n", "weight"],
  Book: ["author"],
  Pen: ["n", "tag"],
};

/** By what lists can be grouped; `@groupBy` names them too. */
export const groupedBy: Readonly<Record<RuledType, readonly string[]>> = {
  Item: ["n", "tag", "home"],
  Box: ["n", "tag", "next"],
  Tool: ["n", "tag", "home", "weight", "spare"],
  Book: ["n", "tag", "home", "author"],
  Pen: ["n", "tag"],
};

/** An object; links hold names. */
export interface Thing {
  readonly type: ConcreteType;
  readonly name: string;
  readonly values: Readonly<Record<string, number | string | undefined>>;
  readonly links: Readonly<Record<string, readonly string[]>>;
}

export type World = ReadonlyMap<string, Thing>;

/** The directive of a type or one of its fields, or nothing. */
export type Directives = (type: RuledType, field?: string) => string;

export function schemaText(auth: Directives, line: string): string {
  const named = (type: RuledType) => `name: String! @id  n: Int @search ${auth(type, "n")}  tag: String @search(by: [exact]) ${auth(type, "tag")}`;
  return `
    interface Item @paged @groupBy(fields: ["n", "tag", "home"]) ${auth("Item")} { ${named("Item")}  home: Box @hasInverse(field: items) @search ${auth("Item", "home")} }
    type Box @paged @groupBy(fields: ["n", "tag", "next"]) ${auth("Box")} { ${named("Box")}  seal: String @id ${auth("Box", "seal")}  items: [Item] @search @nested ${auth("Box", "items")}  next: Box @search @onDelete(linked: DELETE) ${auth("Box", "next")}  things: [Thing] @search }
    type Tool implements Item @paged @groupBy(fields: ["n", "tag", "home", "weight", "spare"]) ${auth("Tool")} { weight: Int @search ${auth("Tool", "weight")}  n: Int @search ${auth("Tool", "n")}  spare: Tool @search }
    type Book implements Item @paged @groupBy(fields: ["n", "tag", "home", "author"]) ${auth("Book")} { pages: Int @search  author: Pen @hasInverse(field: books) @search ${auth("Book", "author")} }
    type Pen @paged @groupBy(fields: ["n", "tag"]) ${auth("Pen")} { ${named("Pen")}  books: [Book] @search @nested @onDelete(linked: RESTRICT) }
    union Thing = Tool | Pen
${line}
`;
}

/** The objects at the other side of a field. */
export function follow(world: World, from: Thing, field: string): readonly Thing[] {
  const inverse = field === "items" ? "home" : field === "books" ? "author" : undefined;
  if (inverse) return [...world.values()].filter((each) => each.links[inverse]?.includes(from.name));
  return (from.links[field] ?? []).flatMap((name) => world.get(name) ?? []);
}
