// The syntax tree of a DQL document.

import type { Place } from "./problem.ts";

/** A parsed document. Fragments are already in place. */
export interface Document {
  /** The declared query variables; undefined: no operation has a variable list. */
  readonly variables: readonly VariableDeclaration[] | undefined;
  readonly blocks: readonly Block[];
  /** The query variables that the blocks use, with `$`. */
  readonly parameters: ReadonlySet<string>;
}

export interface VariableDeclaration {
  /** With `$`. */
  readonly name: string;
  readonly type: string;
  /** Whether the type ends with `!`. */
  readonly required: boolean;
  readonly fallback: string | undefined;
}

/** A value as written, or a query variable. All values are texts; what they mean depends on what they are compared with. */
export type Literal =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "variable"; readonly name: string };

/** `name` with the languages after `@`, as written: `name`, `en:fr:.`. */
export interface Predicate {
  readonly name: string;
  readonly languages: string | undefined;
  readonly at: Place;
}

/** An argument of a function. */
export type Argument =
  | Literal
  | { readonly kind: "list"; readonly items: readonly Argument[] }
  /** `val(v)`: the values of a variable. In `uid(...)` it names no node. */
  | { readonly kind: "val"; readonly variable: string }
  /** `uid(v)`, of `uid_in`. */
  | { readonly kind: "uids"; readonly variable: string };

/** What a function looks at. */
export type Subject =
  | { readonly kind: "predicate"; readonly predicate: Predicate }
  | { readonly kind: "count"; readonly predicate: Predicate; readonly filter: Filter | undefined }
  | { readonly kind: "val"; readonly variable: string }
  | { readonly kind: "length"; readonly variable: string }
  /** `uid(...)` and `type(...)`, which look at the node itself. */
  | { readonly kind: "node" };

export interface Call {
  readonly kind: "call";
  /** In lower case. */
  readonly name: string;
  readonly subject: Subject;
  readonly arguments: readonly Argument[];
  /** `ef: 20`, of `similar_to`. */
  readonly options: ReadonlyMap<string, Literal>;
  readonly at: Place;
}

export type Filter = Call | { readonly kind: "and" | "or"; readonly of: readonly Filter[] } | { readonly kind: "not"; readonly of: Filter };

export interface OrderKey {
  readonly direction: "asc" | "desc";
  readonly by: Predicate | { readonly variable: string };
  readonly at: Place;
}

/** Order and page of a list. */
export interface Slice {
  readonly order: readonly OrderKey[];
  readonly first: Literal | undefined;
  readonly offset: Literal | undefined;
  readonly after: Literal | undefined;
}

export interface GroupKey {
  readonly alias: string | undefined;
  readonly predicate: Predicate;
}

/** What may stand after a block's arguments and after an edge. */
export interface Directives {
  readonly filter: Filter | undefined;
  /** `all`, or the names of the predicates that must be present. */
  readonly cascade: "all" | readonly string[] | undefined;
  readonly normalize: boolean;
  readonly groupBy: readonly GroupKey[] | undefined;
}

export interface Recurse {
  readonly depth: Literal | undefined;
  readonly loop: Literal | undefined;
}

/** An end of a path: a uid, or the one node of a variable. */
export type PathEnd = { readonly variable: string } | Literal;

export interface Shortest {
  readonly from: PathEnd | undefined;
  readonly to: PathEnd | undefined;
  readonly paths: Literal | undefined;
  readonly depth: Literal | undefined;
  readonly minWeight: Literal | undefined;
  readonly maxWeight: Literal | undefined;
}

export interface Block extends Directives {
  readonly name: string;
  readonly variable: string | undefined;
  /** `var` runs and is not shown. `shortest` is shown as `_path_`. `empty` has no function: it holds aggregates of variables. */
  readonly kind: "shown" | "var" | "shortest";
  readonly call: Call | undefined;
  readonly slice: Slice;
  readonly ignoreReflex: boolean;
  readonly recurse: Recurse | undefined;
  readonly shortest: Shortest | undefined;
  readonly fields: readonly Field[];
  readonly at: Place;
}

interface FieldBase {
  readonly alias: string | undefined;
  readonly variable: string | undefined;
  readonly at: Place;
}

export type Field = UidField | CountUidField | PredicateField | CountField | ValField | AggregateField | MathField | PasswordField | ExpandField;

export interface UidField extends FieldBase {
  readonly kind: "uid";
}
/** `count(uid)`: the size of the enclosing set. */
export interface CountUidField extends FieldBase {
  readonly kind: "countUid";
}
/** A scalar or an edge: only the schema knows which. */
export interface PredicateField extends FieldBase, Directives {
  readonly kind: "predicate";
  readonly predicate: Predicate;
  readonly slice: Slice;
  readonly fields: readonly Field[];
  /** Whether it has braces. */
  readonly braces: boolean;
  /** Variables of `@facets(v as name)`, which are always empty. */
  readonly facetVariables: readonly string[];
}
export interface CountField extends FieldBase {
  readonly kind: "count";
  readonly predicate: Predicate;
  readonly filter: Filter | undefined;
}
export interface ValField extends FieldBase {
  readonly kind: "val";
  readonly of: string;
}
export type AggregateName = "min" | "max" | "sum" | "avg";
/** Over a variable, or in a `@groupby` over a predicate. */
export interface AggregateField extends FieldBase {
  readonly kind: "aggregate";
  readonly name: AggregateName;
  readonly of: { readonly variable: string } | { readonly predicate: Predicate };
}
export interface MathField extends FieldBase {
  readonly kind: "math";
  readonly expression: Expression;
}
export interface PasswordField extends FieldBase {
  readonly kind: "password";
  readonly predicate: Predicate;
  readonly password: Literal;
}
/** Whose predicates an `expand` shows: those of the node's own types, those of named types, or those that the texts of a variable name. */
export type ExpandSource =
  | { readonly kind: "own" }
  | { readonly kind: "types"; readonly names: readonly string[] }
  | { readonly kind: "val"; readonly variable: string };
export interface ExpandField extends FieldBase {
  readonly kind: "expand";
  readonly source: ExpandSource;
  /** Whether another `expand` is around it, at any depth. */
  readonly isExpanded: boolean;
  readonly filter: Filter | undefined;
  readonly slice: Slice;
  readonly fields: readonly Field[];
}

export type UnaryOperator = "-" | "floor" | "ceil" | "since" | "exp" | "ln" | "sqrt";
export type BinaryOperator = "+" | "-" | "*" | "/" | "%" | "pow" | "logbase" | "max" | "min" | "dot" | "<" | ">" | "<=" | ">=" | "==" | "!=";

export type Expression =
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "parameter"; readonly name: string }
  | { readonly kind: "value"; readonly variable: string }
  | { readonly kind: "unary"; readonly operator: UnaryOperator; readonly of: Expression }
  | { readonly kind: "binary"; readonly operator: BinaryOperator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "cond"; readonly test: Expression; readonly yes: Expression; readonly no: Expression };
