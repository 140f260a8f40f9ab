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
    values: ["n", "tag"],
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

/** An object; links hold names. */
export interface Thing {
  readonly type: ConcreteType;
  readonly name: string;
  readonly values: Readonly<Record<string, number | string | undefined>>;
  readonly links: Readonly<Record<string, readonly string[]>>;
}

export type World = ReadonlyMap<string, Thing>;

/** @param auth the directive of a type, or nothing */
export function schemaText(auth: (type: RuledType) => string, line: string): string {
  return `
    interface Item ${auth("Item")} { name: String! @id  n: Int @search  tag: String @search(by: [exact])  home: Box @hasInverse(field: items) }
    type Box ${auth("Box")} { name: String! @id  n: Int @search  tag: String @search(by: [exact])  items: [Item]  next: Box  things: [Thing] }
    type Tool implements Item ${auth("Tool")} { weight: Int @search  spare: Tool }
    type Book implements Item ${auth("Book")} { pages: Int @search  author: Pen @hasInverse(field: books) }
    type Pen ${auth("Pen")} { name: String! @id  n: Int @search  tag: String @search(by: [exact])  books: [Book] }
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
