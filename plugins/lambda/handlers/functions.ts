// Functions, in the thread that calls them.

import { type AnswerValue, isObject, type MaybePromise } from "../../../core/plugin.ts";
import { answerValue } from "./answer-value.ts";
import type { AuthHeader } from "./auth-header.ts";
import { type LambdaAnswer, type LambdaCall, type LambdaHandler, type QuernClient, registeredName } from "./handler.ts";
import type { LambdaEvent } from "./lambda-event.ts";
import { LateSignal, withinTime } from "./within-time.ts";

/** What a function gets. `args` is there for a field, `parents` for a field of a type, `event` for a mutation. */
export interface FunctionCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly parents: readonly Readonly<Record<string, unknown>>[];
  readonly event: LambdaEvent;
  /** The headers of the client's request, by lower-case name. Of an event: only the header with its token. */
  readonly request: { readonly headers: Readonly<Record<string, string | undefined>> };
  /** The token of the client's request, unverified. */
  readonly authHeader: AuthHeader;
  readonly quern: QuernClient;
  /** Aborted when nobody waits for the result any longer: the time limit is over, or the client is gone. */
  readonly signal: AbortSignal;
}

/**
 * A function in the process. What it throws is the field's error. A function whose parameter is narrower fits too: `quern types --functions` writes
 * types with the arguments and parents of the schema.
 */
export type LambdaFunction = Bivariant["call"];

/** Parameters of methods are compared in both directions. */
interface Bivariant {
  call(call: FunctionCall): unknown;
}

/** By name: `Keeper.greeting`, `Query.nearest`, `Mutation.sell`, and for `@lambdaOnMutate` `Hive.add`. */
export type LambdaFunctions = Readonly<Record<string, LambdaFunction>>;

export function isFunctions(value: unknown): value is LambdaFunctions {
  return isObject(value) && Object.entries(value).every(([name, each]) => /^\w+\.\w+$/.test(name) && typeof each === "function");
}

export function functionsHandler(functions: LambdaFunctions, timeoutMs: number): LambdaHandler {
  return {
    handles: (name) => Object.hasOwn(functions, name),
    call(call): MaybePromise<LambdaAnswer> {
      const name = registeredName(call);
      const run = functions[name];
      if (run === undefined) throw new Error(`resolver ${name} not found`);
      const ending = new LateSignal();
      const result = run(new OwnCall(call, ending) as FunctionCall);
      // Most functions answer at once, and so does the request. Then nothing can end them early, and nobody needs the signal.
      if (!isPending(result)) return answerOf(result, call);
      const work = async () => answerOf(await settled(await result, call), call);
      return withinTime(work, { timeoutMs, signal: call.signal, ending, what: name });
    },
  };
}

function answerOf(result: unknown, { parents }: LambdaCall): LambdaAnswer {
  if (!parents || !Array.isArray(result)) return answerValue(result);
  return result.map(oneAnswer);
}

function oneAnswer(value: unknown): AnswerValue | Error {
  return value instanceof Error ? value : answerValue(value);
}

function isPending(result: unknown): boolean {
  return isPromiseLike(result) || (Array.isArray(result) && result.some(isPromiseLike));
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/**
 * What a function gets. It can change its own copies only. Members of other kinds of calls are absent. A class, because an object literal with a spread
 * and a getter takes ten microseconds.
 */
class OwnCall {
  readonly args?: Readonly<Record<string, unknown>>;
  readonly parents?: readonly Readonly<Record<string, unknown>>[];
  readonly event?: LambdaEvent;
  readonly request: FunctionCall["request"];
  readonly authHeader: AuthHeader;
  readonly quern: QuernClient;
  readonly #ending: LateSignal;

  constructor({ args, fieldArguments = args, parents, event, request, authHeader, quern }: LambdaCall, ending: LateSignal) {
    if (fieldArguments) this.args = ownMembers(fieldArguments);
    if (parents) this.parents = parents;
    if (event) this.event = event;
    this.request = new OwnRequest(request);
    this.authHeader = authHeader ?? { key: "", value: "" };
    this.quern = quern;
    this.#ending = ending;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }
}

/** Headers are copied for a function that reads them: most do not. */
class OwnRequest {
  readonly #request: LambdaCall["request"];
  #headers: FunctionCall["request"]["headers"] | undefined;

  constructor(request: LambdaCall["request"]) {
    this.#request = request;
  }

  get headers(): FunctionCall["request"]["headers"] {
    this.#headers ??= { ...this.#request.headers };
    return this.#headers;
  }
}

function ownMembers(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = { ...members };
  for (const name in own) if (typeof own[name] === "object" && own[name] !== null) own[name] = structuredClone(own[name]);
  return own;
}

/** A function may give a promise for each parent. One that is rejected concerns its parent alone. */
async function settled(result: unknown, { parents }: LambdaCall): Promise<unknown> {
  if (!parents || !Array.isArray(result)) return result;
  const values = await Promise.allSettled<unknown>(result);
  return values.map((each) =>
    each.status === "fulfilled" ? each.value : each.reason instanceof Error ? each.reason : new Error(String(each.reason)),
  );
}
