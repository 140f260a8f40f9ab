// How requests come in: those with a new document are prepared a few at a time, and so many run at the same time.

import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";
import { andThen, isPromise, rescued } from "../../ground/maybe-promise.ts";
import { nextTurn } from "../../ground/turns.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import { Admission, type RunningRequests, waitedTooLong } from "../budget/admission.ts";
import { type NewRequest, Preparations } from "../budget/preparations.ts";
import { callerNameOf, nameByTransport } from "../caller/caller-name.ts";
import { givenFacts, withOwnClaims } from "../caller/given-claims.ts";
import { lowerCased } from "../caller/lower-case-headers.ts";
import type { GraphQLAnswer, GraphQLRequest } from "../caller/request.ts";
import { RunningRequest } from "../caller/request-view.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import type { LiveStart } from "../operation/live-operation.ts";
import type { Pipeline } from "./pipeline.ts";
import { isLongWhenNew } from "./prepare-request.ts";

export interface EntranceOptions {
  readonly pipeline: Pipeline;
  readonly limits: Pick<Limits, "maxConcurrentRequests" | "maxWaitingRequests" | "maxTimeMs">;
  /** The schema that answers a request; undefined: none is deployed. */
  readonly servedTo: (request: Pick<GraphQLRequest, "as">) => ActiveSchema | undefined;
  /** Those of other kernels among them; undefined: there are none. */
  readonly requests: RunningRequests | undefined;
}

export class Entrance {
  readonly #options: EntranceOptions;
  readonly #admission: Admission;
  readonly #short: Preparations;
  /** Long documents wait for one another alone. */
  readonly #long: Preparations;

  constructor(options: EntranceOptions) {
    this.#options = options;
    const { limits } = options;
    this.#admission = new Admission(limits, options.requests);
    // As many as could come in if they ran at once.
    const maxWaiting = limits.maxConcurrentRequests + limits.maxWaitingRequests;
    const overloaded = (waiting: number) => tooManyNew(waiting, limits);
    this.#short = new Preparations({ maxWaiting, overloaded });
    this.#long = new Preparations({ maxWaiting, overloaded });
  }

  get running(): number {
    return this.#admission.running;
  }

  get waiting(): number {
    return this.#admission.waiting + this.#short.waiting + this.#long.waiting;
  }

  /** Never rejects. */
  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer> {
    if (request.claims === undefined) return this.#execute(request);
    return rescued(
      () => this.#execute(withOwnClaims(request)),
      (thrown) => this.#options.pipeline.reject(request, thrown),
    );
  }

  #execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer> {
    // Where it has to wait for its admission, it is prepared after that.
    if (this.#isKnown(request) || this.#admission.isBusy) return this.#admit(request);
    const begun = performance.now();
    return rescued(
      () => this.#prepare(request, begun, (prepared) => this.#admit(request, { begun, prepared })),
      (thrown) => this.#options.pipeline.reject(request, thrown, begun),
    );
  }

  /** Prepares a subscription. Never rejects. */
  live(request: GraphQLRequest): MaybePromise<LiveStart> {
    if (request.claims === undefined) return this.#live(request);
    return rescued(
      () => this.#live(withOwnClaims({ ...request, as: "caller" })),
      (thrown) => this.#options.pipeline.rejectLive(request, thrown),
    );
  }

  #live(request: GraphQLRequest): MaybePromise<LiveStart> {
    const { pipeline, servedTo } = this.#options;
    // The rights of the system apply to no subscription.
    const start = (prepared?: () => void) => pipeline.live(request, servedTo({}), prepared);
    if (this.#isKnown(request)) return start();
    return rescued<LiveStart>(
      () => this.#prepare(request, performance.now(), start),
      (thrown) => pipeline.rejectLive(request, thrown),
    );
  }

  /** Runs `work` when it may. Rejects as it does, or with the error of a request that waits in vain. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#admission.enter()) await this.#admission.wait("");
    try {
      return await work();
    } finally {
      this.#admission.leave();
    }
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    while (this.#short.isBusy || this.#long.isBusy) await nextTurn();
    await this.#admission.idle();
  }

  /** Before the first deploy none is: it is parsed each time. */
  #isKnown(request: GraphQLRequest): boolean {
    return this.#options.servedTo(request)?.documents.isValidated(request.query) ?? false;
  }

  #prepare<T>(request: GraphQLRequest, begun: number, work: (prepared: () => void) => MaybePromise<T>): MaybePromise<T> {
    const { maxTimeMs } = this.#options.limits;
    const { onGone } = request;
    const newRequest: NewRequest = {
      caller: () => this.#callerOf(request),
      unverifiedCaller: () => nameByTransport(request) ?? "",
      deadline: begun + maxTimeMs,
      tooLate: () => waitedTooLong(maxTimeMs),
      ...(onGone && { onGone }),
    };
    return (isLongWhenNew(request) ? this.#long : this.#short).run(newRequest, work);
  }

  #admit(request: GraphQLRequest, arrival: Arrival = {}): MaybePromise<GraphQLAnswer> {
    return this.#admission.enter() ? this.#answer(request, arrival) : run(this.#wait(request, arrival));
  }

  /** Runs a request that passed admission. */
  #answer(request: GraphQLRequest, arrival: Arrival): MaybePromise<GraphQLAnswer> {
    const { pipeline, servedTo } = this.#options;
    const answer = pipeline.answer(request, servedTo(request), arrival);
    if (!isPromise(answer)) {
      this.#admission.leave();
      return answer;
    }
    return answer.then((value) => {
      this.#admission.leave();
      return value;
    });
  }

  *#wait(request: GraphQLRequest, arrival: Arrival): Work<GraphQLAnswer> {
    // A request that waits here keeps no other from being prepared.
    arrival.prepared?.();
    const caller = this.#admission.isFull ? (nameByTransport(request) ?? "") : yield* wait(this.#callerOf(request));
    const begun = arrival.begun ?? performance.now();
    try {
      if (arrival.begun === undefined) yield this.#admission.wait(caller, request.onGone);
      else yield this.#admission.waitOn(caller, request.onGone);
    } catch (thrown) {
      return this.#options.pipeline.reject(request, thrown, begun);
    }
    return yield* wait(this.#answer(request, { begun }));
  }

  /** A plugin that fails says so again when the request runs. */
  #callerOf(request: GraphQLRequest): MaybePromise<string> {
    const byTransport = nameByTransport(request) ?? "";
    const schema = this.#options.servedTo(request);
    if (schema === undefined) return byTransport;
    const view = new RunningRequest(lowerCased(request.headers ?? {}), givenFacts(request));
    return rescued(
      () => andThen(callerNameOf({ schema, request, view }), (name = byTransport) => name),
      () => byTransport,
    );
  }
}

/** What is known of a request that had to wait. */
interface Arrival {
  /** When it came, in milliseconds of `performance.now()`. */
  readonly begun?: number;
  /** Its document is new; to be called when it is prepared. */
  readonly prepared?: () => void;
}

function tooManyNew(waiting: number, { maxConcurrentRequests, maxWaitingRequests }: EntranceOptions["limits"]): QuernError {
  return new QuernError(
    "OVERLOADED",
    `As many requests with new documents wait as may (${waiting}; limits.maxConcurrentRequests, ${maxConcurrentRequests}, and limits.maxWaitingRequests, ${maxWaitingRequests}). Try again in a moment.`,
  );
}
