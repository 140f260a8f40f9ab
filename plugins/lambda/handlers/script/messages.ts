// What this process and the worker thread of a script send to each other. Bodies are JSON texts, so that integers keep their digits.

/** To the worker. */
export type ToWorker =
  | { readonly kind: "call"; readonly id: number; readonly call: string }
  | { readonly kind: "answer"; readonly id: number; readonly answer: string }
  | { readonly kind: "ping" };

/** From the worker. */
export type FromWorker =
  /** The script has run. `names` are those that it registered. */
  | { readonly kind: "ready"; readonly names: readonly string[] }
  /** The script threw while it was loaded. */
  | { readonly kind: "broken"; readonly reason: string }
  | { readonly kind: "result"; readonly id: number; readonly result: string }
  /** `parent`: the error concerns one parent of many. */
  | { readonly kind: "failed"; readonly id: number; readonly reason: string }
  /** The script asks this server. `id` of the question, `call` of the call that asks. */
  | { readonly kind: "ask"; readonly id: number; readonly call: number; readonly question: Question }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "pong" };

export interface Question {
  readonly api: "graphql" | "dql.query" | "dql.mutate";
  readonly text: string;
  /** As JSON. */
  readonly variables: string | undefined;
  readonly authHeader: { readonly key?: string; readonly value?: string } | undefined;
}

/** A call as the worker gets it. */
export interface ScriptCall {
  /** The name under which the script registers it: `Type.field`, `Type.add`. */
  readonly name: string;
  readonly args?: unknown;
  readonly parents?: readonly unknown[];
  readonly event?: unknown;
  readonly authHeader: { readonly key: string; readonly value: string } | undefined;
}
