// The bodies of messages between this thread and that of a script. They are JSON texts, so that integers keep their digits.

import type { Exchange } from "../thread/messages.ts";

export interface ScriptExchange extends Exchange {
  /** JSON of a `ScriptCall`. */
  readonly call: string;
  readonly result: string;
  readonly question: ScriptQuestion;
  readonly answer: string;
}

export interface ScriptQuestion {
  readonly api: "graphql" | "dql.query" | "dql.mutate";
  readonly text: string;
  /** As JSON. */
  readonly variables: string | undefined;
  readonly authHeader: { readonly key?: string; readonly value?: string } | undefined;
}

/** A call as the script's thread gets it. */
export interface ScriptCall {
  /** The name under which the script registers it: `Type.field`, `Type.add`. */
  readonly name: string;
  readonly args?: unknown;
  readonly parents?: readonly unknown[];
  readonly event?: unknown;
  readonly authHeader: { readonly key: string; readonly value: string } | undefined;
}
