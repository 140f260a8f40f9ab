// Live results as an async iterable, for applications that embed the kernel.

import type { LiveError } from "../contracts/plugin/live-engine.ts";
import { type ErrorCode, QuernError } from "../ground/errors.ts";
import { parseJson } from "../ground/json/parse-json.ts";
import { draining } from "../request/errors/draining.ts";
import type { LiveEnd, LiveRequest, Subscription, SubscriptionObserver } from "./live.ts";

/** One answer, parsed; integers beyond 2^53 are bigints. */
export interface LiveAnswer<Data = Readonly<Record<string, unknown>>> {
  readonly data?: Data;
  readonly errors?: readonly LiveError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

type Subscribe = (request: LiveRequest, observer: SubscriptionObserver) => Subscription;

/**
 * Subscribes at the first `next()`. A slow reader misses intermediate results, never the last one. Ends when the kernel closes; a deploy does not
 * end it. Throws a QuernError with `errors` in its details: `REQUEST_REFUSED` before the first answer, or when a schema that was deployed
 * later does not allow the operation; `SUBSCRIPTION_EXPIRED`; `OVERLOADED` while the kernel is draining; `OPERATION_FAILED` for a fault.
 */
export async function* iterate<Data>(subscribe: Subscribe, request: LiveRequest): AsyncGenerator<LiveAnswer<Data>, void, void> {
  const inbox = new Inbox();
  const subscription = subscribe(request, inbox);
  try {
    for (;;) {
      const message = await inbox.take(() => subscription.drained());
      if (typeof message === "string") yield parseJson(message) as LiveAnswer<Data>;
      else if (isNormalEnd(message)) return;
      else throw thrown(message);
    }
  } finally {
    subscription.stop();
  }
}

/** Ready exactly while a caller waits in `take`. */
class Inbox implements SubscriptionObserver {
  #waiter: ((message: string | LiveEnd) => void) | undefined;
  #end: LiveEnd | undefined;

  take(drained: () => void): Promise<string | LiveEnd> {
    return new Promise((resolve) => {
      if (this.#end) return resolve(this.#end);
      this.#waiter = resolve;
      drained();
    });
  }

  ready(): boolean {
    return this.#waiter !== undefined;
  }

  next(body: string): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.(body);
  }

  end(why: LiveEnd): void {
    this.#end = why;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.(why);
  }
}

function isNormalEnd(end: LiveEnd): boolean {
  return end.kind === "complete" || (end.kind === "interrupted" && end.by === "shutdown");
}

function thrown(end: LiveEnd): QuernError {
  const errors = "errors" in end ? end.errors : [draining];
  return new QuernError(codes[end.kind], errors.map(({ message }) => message).join("\n"), { details: { errors } });
}

const codes = {
  complete: "INTERNAL",
  interrupted: "OVERLOADED",
  refused: "REQUEST_REFUSED",
  redeployed: "REQUEST_REFUSED",
  expired: "SUBSCRIPTION_EXPIRED",
  failed: "OPERATION_FAILED",
} as const satisfies Readonly<Record<LiveEnd["kind"], ErrorCode>>;
