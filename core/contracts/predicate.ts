// Predicates on nodes, as plan data. A comparison with an absent value is false, and `not` is the complement: logic is two-valued. A
// comparison on a list field holds when it holds for one element; for `between`, one element must be within both bounds.

import type { EndName, FieldName, IndexName, Token, TypeName, Uid, Value } from "../ground/values/value.ts";

/**
 * A condition on a node:
 *
 *     // authors named Ada or Grace who have at least one published post
 *     and(
 *       { kind: "compare", field: "Author.name", op: "in", operands: ["Ada", "Grace"] },
 *       { kind: "linked", end: "Author.posts", where: { kind: "compare", field: "Post.published", op: "eq", operands: [true] }, atLeast: 1 },
 *     );
 */
export type Predicate = All | None | And | Or | Not | OfType | OneOf | After | Has | Compare | Lookup | Check | Linked;

/** True for every node: the condition of a client that gives no filter. Requests name types beside it, so it never reads the whole store. */
export interface All {
  readonly kind: "all";
}
/** True for no node, such as a rule that denies everything. A storage answers it without reading. */
export interface None {
  readonly kind: "none";
}
/**
 * The conjunction. Use `and`, which simplifies:
 *
 *     and(all, published, none); // none
 */
export interface And {
  readonly kind: "and";
  /** All of them hold. */
  readonly of: readonly Predicate[];
}
/**
 * The disjunction. Use `or`, which simplifies:
 *
 *     or(none, published); // published
 */
export interface Or {
  readonly kind: "or";
  /** At least one of them holds. */
  readonly of: readonly Predicate[];
}
/**
 * The complement among the nodes that the request names. A node without a value satisfies it, because its comparison is false:
 *
 *     // authors of any other name, and authors without a name
 *     not({ kind: "compare", field: "Author.name", op: "eq", operands: ["Ada"] })
 */
export interface Not {
  readonly kind: "not";
  readonly of: Predicate;
}
/**
 * The node is of one of these concrete types. Used where a request names several types, as for an interface:
 *
 *     { kind: "type", types: ["Ketch", "Yawl"] }
 */
export interface OfType {
  readonly kind: "type";
  /** Concrete types. */
  readonly types: readonly TypeName[];
}
/**
 * The node is one of these. Uids without a node are ignored:
 *
 *     { kind: "uids", uids: [3, 7] }
 */
export interface OneOf {
  readonly kind: "uids";
  /** Ascending and distinct; a plain array. */
  readonly uids: readonly Uid[];
}
/**
 * The node's uid is greater than `uid`. Resumes a long scan, and `after` of a page in uid order:
 *
 *     and(predicate, { kind: "after", uid: 7 })
 */
export interface After {
  readonly kind: "after";
  readonly uid: Uid;
}
/**
 * The field has a value. The empty string is a value; the empty list is none. For links use `Linked`:
 *
 *     { kind: "has", field: "Author.name" }
 */
export interface Has {
  readonly kind: "has";
  readonly field: FieldName;
}
/**
 * A comparison operator. `in` is equality with one of the operands. `between` includes both bounds. Words that compare texts otherwise, such as
 * those of a text search, are no operators: they are lookups in an index, or checks.
 */
export type Comparison = "eq" | "in" | "lt" | "le" | "gt" | "ge" | "between";
/**
 * Compares by the order of the field's kind (`ValueKind`): texts by UTF-8 bytes, dates by their instant.
 *
 *     { kind: "compare", field: "Post.score", op: "between", operands: [1, 5] } // 1 and 5 too
 *     { kind: "compare", field: "Post.tags", op: "eq", operands: ["maths"] } // one of its tags is maths
 *     { kind: "compare", field: "Post.title", op: "in", operands: [] } // no node
 */
export interface Compare {
  readonly kind: "compare";
  readonly field: FieldName;
  readonly op: Comparison;
  /** One operand. Of `in`: any number, also none. Of `between`: the lower and the upper bound, both inclusive. */
  readonly operands: readonly Value[];
}
/**
 * The node has any, or all, of these tokens in the index. Without tokens it is true for no node, also with `all`.
 *
 *     // posts whose title has both words, in any order
 *     { kind: "lookup", index: "Post.title/term", match: "all", tokens: ["analytical", "engine"] }
 */
export interface Lookup {
  readonly kind: "lookup";
  readonly index: IndexName;
  /** Whether one token suffices, or all are needed. */
  readonly match: "any" | "all";
  /** In the form that the index's tokenizer makes. */
  readonly tokens: readonly Token[];
}
/**
 * A function decides, on the values of one field. `within` is a necessary condition that an index can answer: a storage evaluates it first, and
 * `test` on the candidates only.
 *
 *     // titles that match a pattern: the index finds those with its trigrams, the function decides
 *     {
 *       kind: "check",
 *       field: "Post.title",
 *       test: { id: "regexp/1 /eng[i1]ne/", holds: (values) => values.some((value) => pattern.matches(value)) },
 *       within: { kind: "lookup", index: "Post.title/trigram", match: "all", tokens: ["eng"] },
 *     }
 */
export interface Check {
  readonly kind: "check";
  readonly field: FieldName;
  /** Decides on the values that the field has; a node without a value fails. */
  readonly test: Test;
  /** Consists of lookups, `and` and `or`. Undefined: all nodes are candidates. */
  readonly within?: Predicate;
}
/**
 * A named function on the values of a field:
 *
 *     { id: "soundex/1 R163", holds: (values) => values.some((value) => soundex(String(value)) === "R163") }
 */
export interface Test {
  /** Name, version and operands. Plans print it. Tests with the same id are the same. */
  readonly id: string;
  /** A pure function of all values of the field, at least one. */
  readonly holds: (values: readonly Value[]) => boolean;
}
/**
 * A semi-join: at least `atLeast` (1 or more) nodes at the other side of `end` satisfy `where`. A node at the other side counts once.
 *
 *     // authors with three published posts or more
 *     { kind: "linked", end: "Author.posts", where: published, atLeast: 3 }
 *     // authors without posts
 *     not({ kind: "linked", end: "Author.posts", where: all, atLeast: 1 })
 */
export interface Linked {
  readonly kind: "linked";
  /** The end to follow, as the node itself has it. */
  readonly end: EndName;
  /** A condition on the nodes at the other side. */
  readonly where: Predicate;
  /** 1 or more. */
  readonly atLeast: number;
}

/**
 * The predicate that is true for every node:
 *
 *     // authors with a post, whatever it is
 *     { kind: "linked", end: "Author.posts", where: all, atLeast: 1 }
 */
export const all: All = Object.freeze({ kind: "all" });
/**
 * The predicate that is true for no node:
 *
 *     const where = user === undefined ? none : { kind: "compare", field: "Note.owner", op: "eq", operands: [user] };
 */
export const none: None = Object.freeze({ kind: "none" });

const lastingOnes = new WeakSet<Predicate>();

/**
 * The conjunction, simplified: nested conjunctions are flattened, except `lasting` ones; `all` is dropped; `none` absorbs the rest.
 *
 *     and(); // all
 *     and(published); // published
 *     and(published, and(recent, long)); // { kind: "and", of: [published, recent, long] }
 */
export function and(...of: readonly Predicate[]): Predicate {
  const [first, second] = of;
  if (first !== undefined && of.length === 1) return first;
  if (first !== undefined && second !== undefined && of.length === 2) {
    if (first.kind === "all" || second.kind === "none") return second;
    if (second.kind === "all" || first.kind === "none") return first;
  }
  const flat = of.flatMap((each) => (each.kind === "and" && !lastingOnes.has(each) ? each.of : each.kind === "all" ? [] : [each]));
  if (flat.some((each) => each.kind === "none")) return none;
  if (flat.length === 0) return all;
  return flat.length === 1 ? (flat[0] as Predicate) : { kind: "and", of: flat };
}

/**
 * The disjunction, simplified: nested disjunctions are flattened; `none` is dropped; `all` absorbs the rest.
 *
 *     or(); // none
 *     or(published, or(recent, long)); // { kind: "or", of: [published, recent, long] }
 */
export function or(...of: readonly Predicate[]): Predicate {
  const flat = of.flatMap((each) => (each.kind === "or" ? each.of : each.kind === "none" ? [] : [each]));
  if (flat.some((each) => each.kind === "all")) return all;
  if (flat.length === 0) return none;
  return flat.length === 1 ? (flat[0] as Predicate) : { kind: "or", of: flat };
}

/**
 * The complement, simplified:
 *
 *     not(all); // none
 *     not(not(published)); // published
 */
export function not(of: Predicate): Predicate {
  if (of.kind === "all") return none;
  if (of.kind === "none") return all;
  return of.kind === "not" ? of.of : { kind: "not", of };
}

/**
 * Marks a predicate object that many requests will use, such as the condition of an access rule. A storage may cache its results by object
 * identity until the data change. Returns the same object.
 *
 *     // compiled once at a deploy, used by each request
 *     const mayRead = lasting(or(published, ownedByStaff));
 */
export function lasting<P extends Predicate>(predicate: P): P {
  if (predicate.kind === "and") for (const each of predicate.of) lasting(each);
  // `all` and `none` are shared constants, and need no cache.
  if (predicate.kind !== "all" && predicate.kind !== "none") lastingOnes.add(predicate);
  return predicate;
}

/** Whether `lasting` marked this object. */
export function isLasting(predicate: Predicate): boolean {
  return lastingOnes.has(predicate);
}
