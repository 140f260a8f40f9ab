// What every form of a lambda handler is: an HTTP server, functions in the process, a script in a worker thread.

import type { AnswerValue, ExecuteAnswer, ExecuteRequest, MaybePromise, RequestView } from "../../../core/plugin.ts";
import type { AuthHeader } from "./auth-header.ts";
import type { LambdaEvent } from "./lambda-event.ts";

/** A call of one resolver. Of `args`, `parents` and `event` one is there. */
export interface LambdaCall {
  /** `Type.field`; of an event `$webhook`. */
  readonly resolver: string;
  /** Of a field of Query or Mutation. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Of a field of a type. The answer has one value for each, in order. Made for this call: its handler may change them. */
  readonly parents?: readonly Record<string, unknown>[];
  /** Of a field of a type: its own arguments. A lambda server does not get them, as with Dgraph. */
  readonly fieldArguments?: Readonly<Record<string, unknown>>;
  /** Of a mutation. */
  readonly event?: LambdaEvent;
  readonly accessToken: string;
  readonly authHeader: AuthHeader | undefined;
  readonly request: Pick<RequestView, "headers">;
  /** Asks the same kernel. */
  readonly quern: QuernClient;
  readonly signal: AbortSignal;
}

/** Who asks. */
export interface GraphQLOptions {
  /** The caller of the request (default), or the administrator, whom no rule restricts. */
  readonly as?: "caller" | "admin";
  /** Another caller: one that sends these headers, by lower-case name. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Sends a GraphQL request to the server that calls the function. */
export type GraphQLCall = (query: string, variables?: Readonly<Record<string, unknown>>, options?: GraphQLOptions) => Promise<ExecuteAnswer>;

/** The API of the server that calls a function. */
export interface QuernClient {
  /**
   * Executes a GraphQL request in the same process, with the rights of the caller or, `{ as: "admin" }`, without restrictions. Never rejects for an error that
   * a client would get: it is in `errors`.
   */
  readonly graphql: GraphQLCall;
  /**
   * Asks in DQL: `quern.dql("query q($n: int) { hives(func: gt(Hive.honey, $n)) { uid } }", { n: 3 })`. Needs `dqlPlugin`, whose option `rules` says whether
   * rules hide nodes from the caller. What the caller may not read (access control lists) is absent. With `{ as: "admin" }` nothing is hidden.
   */
  readonly dql: GraphQLCall;
  /**
   * Writes in DQL, in one transaction: `quern.dqlMutate('{ set { _:h <Hive.label> "North" . _:h <dgraph.type> "Hive" . } }')`, an upsert block, or JSON with `set`
   * and `delete`. `data` is `{ code, message, queries, uids }`. Needs `dqlPlugin`. With `{ as: "admin" }` neither rules nor rights restrict it.
   */
  readonly dqlMutate: (mutation: string | object, options?: GraphQLOptions) => Promise<ExecuteAnswer>;
}

/** Makes the client of a call from what the kernel offers at its place. */
export function quernOver(execute: (request: ExecuteRequest) => MaybePromise<ExecuteAnswer>, callerHeaders?: GraphQLOptions["headers"]): QuernClient {
  const askIn =
    (language: string): GraphQLCall =>
    async (query, variables, { as = "caller", headers = callerHeaders } = {}) =>
      await execute({ query, language, ...(variables && { variables }), ...(headers && { headers }), as: as === "admin" ? "system" : "caller" });
  return { graphql: askIn("graphql"), dql: askIn("dql"), dqlMutate: mutateWith(askIn("dql-mutate")) };
}

export function mutateWith(ask: GraphQLCall): QuernClient["dqlMutate"] {
  return (mutation, options) => ask(typeof mutation === "string" ? mutation : JSON.stringify(mutation), undefined, options);
}

/** A JSON value. Of a field of a type: a list with one value for each parent, or the error of that parent. */
export type LambdaAnswer = AnswerValue | readonly (AnswerValue | Error)[];

export interface LambdaHandler {
  /** Whether it answers calls of `resolver`: `Type.field`, or of an event `Type.add`. */
  handles(resolver: string): boolean;
  /** A call that fails throws or rejects. */
  call(call: LambdaCall): MaybePromise<LambdaAnswer>;
  close?(): Promise<void>;
}

/** The name under which functions and scripts register a call. */
export function registeredName({ resolver, event }: Pick<LambdaCall, "resolver" | "event">): string {
  return event ? `${event.__typename}.${event.operation}` : resolver;
}
