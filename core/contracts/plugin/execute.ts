// A request that a plugin makes, and its answer.

/** A request of a plugin. */
export interface ExecuteRequest {
  /** A document with one operation. */
  readonly query: string;
  /** The language of `query`: `graphql` (default), or one that an installed plugin answers (`DirectivePlugin.languages`). */
  readonly language?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /**
   * Who asks. `caller` (default): the caller of the request, with all restrictions. `system`: nobody's rights apply, so `admit`, `permissions`, `narrow`
   * and `masks` of all plugins are left out; values, changes and checks of plugins still apply.
   */
  readonly as?: "caller" | "system";
  /**
   * Another caller: as if a client sent the request with these headers, by lower-case name. By default the caller of the request. No effect with
   * `as: "system"`.
   */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The answer to a plugin's GraphQL request. */
export interface ExecuteAnswer {
  /** By response key. Integers beyond 2^53 are bigints. Undefined when nothing was executed. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** As a client gets them. */
  readonly errors: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}
