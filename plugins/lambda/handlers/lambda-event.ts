// What handlers of `@lambdaOnMutate` get.

/** What a lambda handler gets as `event`. The member with the operation's name says what was done. */
export interface LambdaEvent {
  readonly __typename: string;
  readonly operation: "add" | "update" | "delete";
  /** Identifies the event: equal for all of its deliveries. Events of one node rise in the order of their commits, except across servers. */
  readonly commitTs: number;
  readonly add?: { readonly rootUIDs: readonly string[]; readonly input: readonly unknown[] };
  readonly update?: { readonly rootUIDs: readonly string[]; readonly setPatch: unknown; readonly removePatch: unknown };
  readonly delete?: { readonly rootUIDs: readonly string[] };
}
