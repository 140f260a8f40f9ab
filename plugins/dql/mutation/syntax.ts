// What a mutation asks for: triples to set and to delete, behind conditions.

import type { Uid } from "../../../core/plugin.ts";
import type { Document, Filter } from "../language/syntax.ts";

/** How a literal was written, which says how it is converted. `default`: without a type. */
export type LiteralType = "default" | "string" | "int" | "float" | "bool" | "dateTime" | "password" | "geo" | "vector" | "binary";

export interface WrittenLiteral {
  readonly kind: "literal";
  readonly text: string;
  readonly type: LiteralType;
}

/** A node as a mutation names it. */
export type Reference =
  | { readonly kind: "uid"; readonly uid: Uid }
  | { readonly kind: "blank"; readonly name: string }
  | { readonly kind: "variable"; readonly name: string };

/** `*` */
export interface Star {
  readonly kind: "star";
}

/** `val(x)` */
export interface ValueOf {
  readonly kind: "val";
  readonly name: string;
}

export interface Triple {
  readonly subject: Reference;
  /** With its language: `name@en`. Undefined: every predicate, `*`. */
  readonly predicate: string | undefined;
  readonly object: Reference | Star | ValueOf | WrittenLiteral;
}

export interface Mutation {
  /** Undefined: it always holds. `never`: a condition that no query can fulfil. */
  readonly condition: Filter | undefined;
  readonly set: readonly Triple[];
  readonly delete: readonly Triple[];
}

/** A whole request. */
export interface WriteRequest {
  readonly query: Document | undefined;
  /** The query's variables, by name with `$`. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly mutations: readonly Mutation[];
}
