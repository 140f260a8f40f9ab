// The contract of an index kind: one word that `@search(by:)` takes. It says which fields it fits, which operators it
// adds to their filters, and what storage keeps so that their matches are found.

import type { FieldDefinitionNode } from "graphql";
import type { IndexName, Predicate, TokenIndex, ValueField, ValueIndex } from "../../../core/index.ts";

export interface IndexKind {
  /** The word in `by`, and the end of the index's name. */
  readonly name: string;
  /** GraphQL types whose fields it fits, also in lists; `enum` stands for every enum. */
  readonly fits: readonly string[];
  /** Those of `fits` that get this kind from a bare `@search`. */
  readonly defaultFor?: readonly string[];
  /** Kinds that cannot stand beside it on one field. */
  readonly excludes?: readonly string[];
  /**
   * For kinds with a condition of their own, or with options: `options` is what stands between the parentheses of
   * `"hnsw(metric: cosine)"`. The answer continues the sentence "Type T; Field f: has the @search directive but the argument ...".
   */
  readonly problem?: (argument: KindArgument) => string | undefined;
  /** What the kind gives one field. Undefined: another plugin serves these fields, here the word is only checked. */
  readonly search?: (target: SearchTarget) => FieldSearch;
}

/** One word of `by` as written on a field. */
export interface KindArgument {
  readonly text: string;
  readonly options: string | undefined;
  readonly field: FieldDefinitionNode;
}

/** The field that a kind is asked to serve, and the name that its index will have. */
export interface SearchTarget {
  readonly field: ValueField;
  readonly index: IndexName;
  /** Base of the BCP 47 tag of the field's texts, `de`: that of its storage name, else the plugin's default. */
  readonly language: string;
}

export interface FieldSearch {
  /** Name of the filter input. Kinds that share one offer the same and stand on a field one at a time. */
  readonly input: string;
  /** The kernel defines the input for every schema; otherwise it is written from `operators`. */
  readonly builtIn?: boolean;
  /** In the order of the input's fields, or the one operator of a filter that is no object, `filter: {organic: true}`, and stands alone. */
  readonly operators: Operators | Operator;
  /**
   * What storage keeps; absent: the operators look at every value. Operators name it by `SearchTarget.index`: a `lookup` where the
   * tokens decide, a `check` that is narrowed by lookups `within` where they do not.
   */
  readonly index?: ValueSearch | TokenSearch;
}

export type Operators = Readonly<Record<string, Operator>>;

export interface Operator {
  /** GraphQL type of the operand: `[String]`. */
  readonly takes: string;
  /**
   * What the coerced operand asks for; undefined: no constraint. Null arrives as null. Throws `VALUE_INVALID`, with the plain
   * reason as message, for what cannot be compared.
   */
  readonly predicate: (operand: unknown) => Predicate | undefined;
}

export type ValueSearch = Omit<ValueIndex, "name" | "field">;
export type TokenSearch = Omit<TokenIndex, "name" | "field">;

/** Whether `operators` is the single operator of a filter that is no object. */
export function isSingle(operators: Operators | Operator): operators is Operator {
  return typeof operators.predicate === "function";
}
