// The bodies of messages between this thread and that of a module of functions. They are cloned, so that integers keep their digits.

import type { ExecuteAnswer } from "../../../../core/plugin.ts";
import type { GraphQLOptions, LambdaAnswer, LambdaCall } from "../handler.ts";
import type { CallCells, Exchange } from "../thread/messages.ts";

export interface ModuleExchange extends Exchange {
  readonly call: ModuleCall;
  readonly result: LambdaAnswer;
  readonly question: ModuleQuestion;
  readonly answer: ModuleAnswer;
}

/** A call without what reaches back into this thread. */
export type ModuleCall = Omit<LambdaCall, "quern" | "signal">;

export interface ModuleQuestion {
  readonly api: "graphql" | "dql" | "dqlMutate";
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly options: GraphQLOptions | undefined;
}

/** Or why the question could not be asked. */
export type ModuleAnswer = { readonly answer: ExecuteAnswer } | { readonly failed: string };

/** What the thread starts with. */
export interface ModuleStart {
  /** URL of the module. */
  readonly module: string;
  readonly timeoutMs: number;
  readonly cells: CallCells;
}
