// The contract of an index kind: one word of `@search(by:)`. A kind defines the fields that it fits, the operators that it adds to their
// filters, and the index that finds their matches.

import type { FieldDefinitionNode } from "graphql";
import type { IndexName, Predicate, TokenIndex, ValueField, ValueIndex, Work } from "../../../core/plugin.ts";

/** A word of `@search(by:)`. */
export interface IndexKind {
  /** The word in `by`, and the suffix of the index's name. */
  readonly name: string;
  /** The GraphQL types of the fields that it fits, also in lists. `enum` means every enum. */
  readonly fits: readonly string[];
  /** The types of `fits` for which it is the default kind of `@search`. */
  readonly defaultFor?: readonly string[];
  /** Kinds that cannot be combined with it on one field. */
  readonly excludes?: readonly string[];
  /**
   * Validates a use, for kinds with conditions or options. `options` is the text in the parentheses of `"hnsw(metric: cosine)"`. Returns
   * the end of the error message "Type T; Field f: has the @search directive but the argument ...".
   */
  readonly problem?: (argument: KindArgument) => string | undefined;
  /** What the kind adds to one field. Undefined: another plugin serves these fields, and the word is only validated. */
  readonly search?: (target: SearchTarget) => FieldSearch;
}

/** One word of `by` as written on a field. */
export interface KindArgument {
  readonly text: string;
  readonly options: string | undefined;
  readonly field: FieldDefinitionNode;
}

/** The field for a kind, and the name of its index. */
export interface SearchTarget {
  readonly field: ValueField;
  readonly index: IndexName;
  /** The base language of the field's texts (`de` of `de-AT`): from its storage name, otherwise the plugin's default. */
  readonly language: string;
}

/** How a kind searches one field: its filter input and its index. */
export interface FieldSearch {
  /** The name of the filter input. Kinds with the same input have the same operators, and a field can have only one of them. */
  readonly input: string;
  /** True: the kernel defines the input. By default it is generated from `operators`. */
  readonly builtIn?: boolean;
  /** In the order of the input's fields. Or the single operator of a filter that is not an object: `filter: {organic: true}`. */
  readonly operators: Operators | Operator;
  /**
   * The index. Absent: the operators scan all values. Operators refer to it by `SearchTarget.index`: in a `lookup` when tokens decide, or in a
   * `check` with lookups in `within` when tokens only narrow the candidates.
   */
  readonly index?: ValueSearch | TokenSearch;
}

/** Operators by name. */
export type Operators = Readonly<Record<string, Operator>>;

/** One operator of a filter. */
export interface Operator {
  /** The GraphQL type of the operand: `[String]`. */
  readonly takes: string;
  /**
   * The condition for the coerced operand, which may be null; undefined: no condition. Throws `VALUE_INVALID` with the reason for an operand
   * that cannot be compared.
   */
  readonly predicate: (operand: unknown) => Predicate | undefined;
  /** The same for an operand that takes long, such as a text of many words: others run between its steps. Absent: `predicate` never takes long. */
  readonly steps?: (operand: unknown) => Work<Predicate | undefined>;
}

/** An index of values, without its name and field. */
export type ValueSearch = Omit<ValueIndex, "name" | "field">;
/** An index of tokens, without its name and field. */
export type TokenSearch = Omit<TokenIndex, "name" | "field">;

/** Whether `operators` is the single operator of a filter that is not an object. */
export function isSingle(operators: Operators | Operator): operators is Operator {
  return typeof operators.predicate === "function";
}
