// The layouts that the checks deploy: every kind of value, index, key and edge, and names that are prefixes of each other.

import type { EdgeLayout, EndName, FieldLayout, IndexLayout, Layout, TypeName, ValueKind } from "../../../core/storage.ts";

function field(name: string, kind: ValueKind, options: { readonly list?: boolean } = {}): FieldLayout {
  return { name, kind, list: options.list ?? false };
}

function byValue(name: string, options: { readonly ordered: boolean }): IndexLayout {
  return { name: `${name}/value`, field: name, by: "value", ordered: options.ordered };
}

function compound(name: string, within: readonly string[]): IndexLayout {
  return { name: `${name} within ${within.join(", ")}`, field: name, by: "compound", within };
}

export const words: IndexLayout = {
  name: "Post.text/words",
  field: "Post.text",
  by: "tokens",
  id: "words 1",
  tokens: (value) => [
    ...new Set(
      String(value)
        .toLowerCase()
        .split(/\s+/u)
        .filter((word) => word !== ""),
    ),
  ],
};

export interface EndSpec {
  readonly name: EndName;
  readonly types: readonly TypeName[];
  readonly partners: readonly TypeName[];
  readonly many: boolean;
}

export function end(name: EndName, types: readonly TypeName[], partners: readonly TypeName[], count: "one" | "many"): EndSpec {
  return { name, types, partners, many: count === "many" };
}

const postFields = [
  field("Post.title", "string"),
  field("Post.name", "string"),
  field("Post.plain", "string"),
  field("Post.text", "string"),
  field("Post.rank", "int"),
  field("Post.big", "int64"),
  field("Post.score", "float"),
  field("Post.at", "dateTime"),
  field("Post.open", "boolean"),
  field("Post.place", "geo"),
  field("Post.secret", "password"),
  field("Post.tags", "string", { list: true }),
  field("Post.nums", "int", { list: true }),
  field("Post.code", "string"),
  field("Post.left", "int"),
  field("Post.right", "string"),
  field("Named.label", "string"),
];

const tagFields = [field("PostTag.title", "string"), field("Named.label", "string")];
const authorFields = [field("Author.name", "string"), field("Author.age", "int")];

/** `Post` and `PostTag`, `Author`; `Named.label` is shared by the first two. */
export const library: Layout = {
  types: [
    { name: "Post", fields: postFields.map((each) => each.name) },
    { name: "PostTag", fields: tagFields.map((each) => each.name) },
    { name: "Author", fields: authorFields.map((each) => each.name) },
  ],
  fields: [...postFields, ...tagFields.filter((each) => each.name !== "Named.label"), ...authorFields],
  edges: [
    {
      name: "Author.posts|Post.author",
      sides: [{ ends: [end("Post.author", ["Post"], ["Author"], "one")] }, { ends: [end("Author.posts", ["Author"], ["Post"], "many")] }],
    },
    {
      name: "Post.tagged",
      sides: [{ ends: [end("Post.tagged", ["Post"], ["PostTag"], "many")] }, { ends: [end("~Post.tagged", ["PostTag"], ["Post"], "many")] }],
    },
    { name: "Author.friends", sides: [{ ends: [end("Author.friends", ["Author"], ["Author"], "many")] }] },
    { name: "Author.spouse", sides: [{ ends: [end("Author.spouse", ["Author"], ["Author"], "one")] }] },
    {
      name: "Post.next|Post.previous",
      sides: [{ ends: [end("Post.next", ["Post"], ["Post"], "one")] }, { ends: [end("Post.previous", ["Post"], ["Post"], "one")] }],
    },
  ],
  indexes: [
    byValue("Post.title", { ordered: false }),
    byValue("Post.name", { ordered: true }),
    byValue("Post.rank", { ordered: true }),
    byValue("Post.big", { ordered: true }),
    byValue("Post.score", { ordered: true }),
    byValue("Post.at", { ordered: true }),
    byValue("Post.open", { ordered: false }),
    byValue("Post.tags", { ordered: false }),
    byValue("Post.nums", { ordered: true }),
    byValue("Named.label", { ordered: true }),
    byValue("Author.age", { ordered: true }),
    words,
    compound("Post.rank", ["Post.title"]),
    compound("Post.at", ["Post.open"]),
    compound("Post.name", ["Post.rank", "Named.label"]),
    compound("Named.label", ["Post.plain"]),
    compound("Post.score", ["Named.label"]),
  ],
  keys: [
    { name: "Post.code", fields: ["Post.code"], types: ["Post"] },
    { name: "Post.left|Post.right", fields: ["Post.left", "Post.right"], types: ["Post"] },
  ],
};

/** A side that two fields show: `Owner.ketches` and `Owner.yawls`, both inverse to `Vessel.owner`. */
export const harbour: Layout = {
  types: [
    { name: "Owner", fields: ["Owner.name"] },
    { name: "Ketch", fields: ["Vessel.name"] },
    { name: "Yawl", fields: ["Vessel.name"] },
  ],
  fields: [field("Owner.name", "string"), field("Vessel.name", "string")],
  edges: [
    {
      name: "Owner.ketches|Owner.yawl|Vessel.owner",
      sides: [
        { ends: [end("Owner.ketches", ["Owner"], ["Ketch"], "many"), end("Owner.yawl", ["Owner"], ["Yawl"], "one")] },
        { ends: [end("Vessel.owner", ["Ketch", "Yawl"], ["Owner"], "one")] },
      ],
    },
  ],
  indexes: [],
  keys: [{ name: "Vessel.name", fields: ["Vessel.name"], types: ["Ketch", "Yawl"] }],
};

/** `Owner`, `Ketch` and `Yawl` with these edges and nothing else. */
export function fleet(edges: readonly EdgeLayout[]): Layout {
  return { types: ["Owner", "Ketch", "Yawl"].map((name) => ({ name, fields: [] })), fields: [], edges, indexes: [], keys: [] };
}

export function edge(name: string, from: EndSpec, to: EndSpec): EdgeLayout {
  return { name, sides: [{ ends: [from] }, { ends: [to] }] };
}

export const ketches = end("Owner.ketches", ["Owner"], ["Ketch"], "many");
export const yawls = end("Owner.yawls", ["Owner"], ["Yawl"], "many");
/** The field of the vessels, on those of `holders`. */
export function owner(holders: readonly TypeName[]): EndSpec {
  return end("Vessel.owner", holders, ["Owner"], "one");
}

/** One edge: the owners' fields share its first side, and `holders` have the second. */
export function shared(holders: readonly TypeName[]): Layout {
  return fleet([{ name: "Owner.ketches|Owner.yawls|Vessel.owner", sides: [{ ends: [ketches, yawls] }, { ends: [owner(holders)] }] }]);
}

/** The same fields, each with an edge of its own. */
export function parted(...ends: readonly EndSpec[]): Layout {
  return fleet(ends.map((each) => edge(each.name, each, end(`~${each.name}`, each.partners, each.types, "many"))));
}

/** One type with one field of `kind`, for deploys over existing data. */
export function boats(options: {
  readonly fields: readonly FieldLayout[];
  readonly indexes?: readonly IndexLayout[];
  readonly keys?: readonly string[];
  readonly edges?: Layout["edges"];
}): Layout {
  const { fields, indexes = [], keys = [], edges = [] } = options;
  return {
    types: [{ name: "Boat", fields: fields.map((each) => each.name) }],
    fields,
    edges,
    indexes,
    keys: keys.map((name) => ({ name, fields: [name], types: ["Boat"] })),
  };
}

export { byValue, field };
