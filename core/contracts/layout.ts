// The storage side of a deployed schema: its types, fields, edges, indexes and keys under their storage names. Plain data, except for a few
// functions. Each function has an `id`; two functions with the same id are the same function.

import type { EdgeName, EndName, FieldName, IndexName, KeyName, Stored, Token, TypeName, Value, ValueKind } from "../ground/values/value.ts";
import type { Metric } from "../ground/values/vector.ts";

/**
 * What a storage keeps for one deployed schema. Names are identities across deploys: data under a name that a later layout omits are kept
 * and hidden, and a layout that contains the name again shows them again.
 *
 *     // type Author { name: String @search(by: [hash])  posts: [Post] @hasInverse(field: author) }
 *     // type Post { author: Author }
 *     {
 *       types: [{ name: "Author", fields: ["Author.name"] }, { name: "Post", fields: [] }],
 *       fields: [{ name: "Author.name", kind: "string", list: false }],
 *       edges: [{
 *         name: "Author.posts|Post.author",
 *         sides: [
 *           { ends: [{ name: "Author.posts", types: ["Author"], partners: ["Post"], many: true }] },
 *           { ends: [{ name: "Post.author", types: ["Post"], partners: ["Author"], many: false }] },
 *         ],
 *       }],
 *       indexes: [{ name: "Author.name/hash", field: "Author.name", by: "value", ordered: false }],
 *       keys: [],
 *     }
 */
export interface Layout {
  /** Concrete types. Nodes of other types stay stored and are hidden. */
  readonly types: readonly TypeLayout[];
  /** The stored fields of all types; several types may have one. */
  readonly fields: readonly FieldLayout[];
  /** Relations with both sides. */
  readonly edges: readonly EdgeLayout[];
  readonly indexes: readonly IndexLayout[];
  readonly keys: readonly KeyLayout[];
}

/**
 * A concrete type. Each node has exactly one. A layout has no interfaces: a request lists the concrete types that it means.
 *
 *     // interface Vessel { name: String }  type Ketch implements Vessel { masts: Int }
 *     { name: "Ketch", fields: ["Vessel.name", "Ketch.masts"] }
 */
export interface TypeLayout {
  readonly name: TypeName;
  /** All stored fields of its nodes, inherited fields included. */
  readonly fields: readonly FieldName[];
}

/**
 * A stored field:
 *
 *     { name: "Post.tags", kind: "string", list: true } // tags: [String]
 */
export interface FieldLayout {
  readonly name: FieldName;
  readonly kind: ValueKind;
  /** True: an insertion-ordered set of values. */
  readonly list: boolean;
  /** Set for a field that is computed from others of the same node. The storage maintains it, also for old nodes; changes never write it. */
  readonly derived?: Derivation;
}

/**
 * A generated column: how a field is computed from other fields of its node.
 *
 *     { id: "full-name/1", from: ["Author.first", "Author.last"], derive: ([first, last]) => (first && last ? `${first} ${last}` : undefined) }
 */
export interface Derivation {
  /** Name, version and options of the function. When the id changes, the storage computes the field again for all nodes. */
  readonly id: string;
  /** The fields that the function reads. */
  readonly from: readonly FieldName[];
  /** A pure function of the values of `from`, in that order. */
  readonly derive: (values: readonly (Stored | undefined)[]) => Stored | undefined;
}

/**
 * A relation between nodes: a set of links. A link is visible from both sides, and is removed with either node.
 *
 * A migration moves links between edges. A new edge takes over all links of its ends, from whichever edges those ends were part of. An end that
 * leaves an edge takes with it the links that it showed, and those that an earlier layout showed and no end shows now. It does not take links
 * that only another end shows.
 */
export interface EdgeLayout {
  /** The names of its named ends, sorted by bytes and joined by `|`. */
  readonly name: EdgeName;
  /** Two sides, or one when both are the same (`friends`, its own inverse): a link of such an edge reads the same from both nodes. */
  readonly sides: readonly [Side] | readonly [Side, Side];
}

/**
 * One side of an edge. It has several ends when several fields show parts of it: `Owner.ketches` and `Owner.yawls` are both inverse to
 * `Vessel.owner`.
 */
export interface Side {
  /** At least one. Changes write through the first named end, or through the unnamed `~` end. */
  readonly ends: readonly End[];
}

/** A side of an edge as one field shows it. */
export interface End {
  readonly name: EndName;
  /** Concrete types of the nodes that have this end. */
  readonly types: readonly TypeName[];
  /** Concrete types of the nodes that it leads to. Links to nodes of other types, which an earlier schema left, are kept and hidden. */
  readonly partners: readonly TypeName[];
  /** True: any number of links for each node. False: at most one. */
  readonly many: boolean;
}

/** A secondary index: from values or tokens of a field to nodes. It covers all types that have the field. */
export type IndexLayout = ValueIndex | TokenIndex | NearestIndex | CompoundIndex;

interface IndexBase {
  readonly name: IndexName;
  readonly field: FieldName;
}

/**
 * An index by value:
 *
 *     { name: "Post.score/int", field: "Post.score", by: "value", ordered: true } // ranges, orders
 *     { name: "Author.name/hash", field: "Author.name", by: "value", ordered: false } // equality
 */
export interface ValueIndex extends IndexBase {
  readonly by: "value";
  /** True: also serves ranges and sorting, and returns the values of many nodes quickly. False: serves equality. */
  readonly ordered: boolean;
}

/**
 * An inverted index: by the tokens that a tokenizer makes of a value.
 *
 *     { name: "Post.title/words", field: "Post.title", by: "tokens", id: "words/1", tokens: (title) => [...new Set(String(title).split(" "))] }
 */
export interface TokenIndex extends IndexBase {
  readonly by: "tokens";
  /** Name, version and options of the tokenizer. When the id changes, the storage builds the index again. */
  readonly id: string;
  /**
   * A pure function: the tokens of one value, in any order; one may come again. The storage calls it, so index and values cannot diverge. For a long value it
   * returns an iterator that makes them one after the other: the storage draws some in each turn of the event loop.
   */
  readonly tokens: (value: Value) => Iterable<Token>;
}

/**
 * An index for `FindRequest.nearest` over a field of kind `vector`. A storage without `Powers.nearest` ignores it. It may be approximate; its
 * options weigh speed against recall, and a storage that has no use for one ignores it.
 *
 *     { name: "Post.embedding/nearest", field: "Post.embedding", by: "nearest", metric: "cosine", quantize: "int8" }
 */
export interface NearestIndex extends IndexBase {
  readonly by: "nearest";
  /** The distance that the index is for. */
  readonly metric: Metric;
  /** How many candidates the insertion of a vector keeps in view. */
  readonly buildBreadth?: number | undefined;
  /** How many candidates a search keeps in view that names no `breadth`. */
  readonly searchBreadth?: number | undefined;
  /** `int8`: the index keeps each element in one byte, a quarter of the memory. Distances in results stay exact. */
  readonly quantize?: "int8" | undefined;
}

/**
 * An index over several fields: the nodes with equal values of all fields of `within`, in the order of `field`:
 *
 *     // the packages of a section by size: pages, ranges, extremes
 *     { name: "Package.size within Package.section", field: "Package.size", by: "compound", within: ["Package.section"] }
 *
 * No field is a list, a vector or a geometry. It covers the types that have all of the fields. It changes no answer: a storage that has no use for one ignores it.
 */
export interface CompoundIndex extends IndexBase {
  readonly by: "compound";
  /** The leading fields, one or more. Conditions give each of them one value, or one of a few. */
  readonly within: readonly FieldName[];
}

/**
 * A unique constraint: no two nodes of `types` have the same values in all `fields` and the same partners at all `ends`. Nodes without a value or
 * a partner in one of them are exempt.
 *
 *     { name: "Post.slug by Post.blog", fields: ["Post.slug"], ends: ["Post.blog"], types: ["Post"] } // one post of a slug in each blog
 */
export interface KeyLayout {
  readonly name: KeyName;
  /** Stored fields whose values together are the key. */
  readonly fields: readonly FieldName[];
  /**
   * Single ends of all `types`; absent: none. A node gets its values and its links by separate changes, so a key with ends is checked against the
   * result of each `Transaction.write`, not after each of its changes.
   */
  readonly ends?: readonly EndName[];
  /** Concrete types among whose nodes the values are unique. */
  readonly types: readonly TypeName[];
}
