// What a plugin that has a query language of its own compiles against.

import type { ASTNode, DocumentNode, GraphQLSchema } from "graphql";
import type { Location } from "../../ground/errors.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Layout } from "../layout.ts";
import type { Model } from "../model.ts";
import type { Predicate } from "../predicate.ts";
import type { FieldFilter } from "./field-filter.ts";
import type { RequestView } from "./request-view.ts";

/** What `compile` may use. */
export interface CompileContext {
  /** The generated API, as clients see it. Directives have values of the kinds that their definitions name. */
  readonly schema: GraphQLSchema;
  /** The same as text, with the directives as the schema writes them. */
  readonly sdl: string;
  /** The model with the facts of all plugins. */
  readonly model: Model;
  /** The storage layout of the schema. */
  readonly layout: Layout;
  /**
   * The filters that plugins give to fields. A plugin with a query language of its own asks them for predicates, and so uses their indexes:
   *
   *     filters.find(({ field }) => field.stored === "Author.name")?.predicate({ anyofterms: "ada grace" })
   */
  readonly filters: readonly FieldFilter[];
  /**
   * Reports an error, as `ModelContext.report` does.
   *
   *     context.report(`Type ${type.name}: @auth: no rule`, [], undefined, node);
   *
   * @param about for an error that Dgraph gives no place, so that `at` is empty: where it is. Only the style `errors: "plain"` shows it
   */
  report(message: string, at?: ASTNode | Location | readonly (ASTNode | Location)[], hint?: string, about?: ASTNode): void;
  /**
   * Compiles a query that is valid against `schema` and has one operation with one root field `query<Type>`.
   *
   *     const owned = pattern(parse("query ($USER: String!) { queryNote(filter: { owner: { eq: $USER } }) { id } }"));
   *     const where = await owned.where({ USER: "ada" }, request);
   */
  pattern(query: DocumentNode): Pattern;
}

/**
 * A query as a condition on nodes: it holds for a node when everything that the query selects is present, as with `@cascade` on the whole query.
 * A `@cascade` at the root of the query overrides this. Orders and pages have no effect.
 */
export interface Pattern {
  /**
   * The condition for coerced values of the query's variables.
   *
   * @throws `VALUE_INVALID` for operands that cannot be compared, and for a `@cascade` that names no field
   */
  where(variables: Readonly<Record<string, unknown>>, request: RequestView): MaybePromise<Predicate>;
  /** True: the condition depends on the variables alone, not on the request. A caller may cache it by variables. */
  readonly fixed: boolean;
}
