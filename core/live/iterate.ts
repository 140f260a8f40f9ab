// Live results as an async iterable, for applications that embed the kernel.

import { QuernError } from "../errors.ts";
import { parseJson } from "../json/parse-json.ts";
import type { LiveEnd, LiveError, LiveRequest, Subscriber, Subscription } from "./live.ts";

/** One answer, parsed; integers beyond 2^53 are bigints. */
export interface LiveAnswer<Data = Readonly<Record<string, unknown>>> {
  readonly data?: Data;
  readonly errors?: readonly LiveError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

type Subscribe = (request: LiveRequest, subscriber: Subscriber) => Subscription;

/**
 * Begins with the first step. Whoever is slow misses states in between, never the last one. Ends when the subscription does; errors
 * are thrown as a QuernError `REQUEST_REFUSED` (before the first answer) or `OPERATION_FAILED`, with `errors` in its details.
 */
export async function* iterate<Data>(subscribe: Subscribe, request: LiveRequest): AsyncGenerator<LiveAnswer<Data>, void, void> {
  const inbox = new Inbox();
  const subscription = subscribe(request, inbox);
  try {
    for (;;) {
      const message = await inbox.take(() => subscription.drained());
      if (typeof message === "string") yield parseJson(message) as LiveAnswer<Data>;
      else if (message.kind === "complete") return;
      else throw thrown(message);
    }
  } finally {
    subscription.stop();
  }
}

/** Ready exactly while somebody waits. */
class Inbox implements Subscriber {
  #taker: ((message: string | LiveEnd) => void) | undefined;
  #end: LiveEnd | undefined;

  take(drained: () => void): Promise<string | LiveEnd> {
    return new Promise((resolve) => {
      if (this.#end) return resolve(this.#end);
      this.#taker = resolve;
      drained();
    });
  }

  ready(): boolean {
    return this.#taker !== undefined;
  }

  next(body: string): void {
    const taker = this.#taker;
    this.#taker = undefined;
    taker?.(body);
  }

  end(why: LiveEnd): void {
    this.#end = why;
    const taker = this.#taker;
    this.#taker = undefined;
    taker?.(why);
  }
}

function thrown(end: LiveEnd & { readonly kind: "refused" | "failed" }): QuernError {
  const message = end.errors.map((each) => each.message).join("\n");
  return new QuernError(end.kind === "refused" ? "REQUEST_REFUSED" : "OPERATION_FAILED", message, { details: { errors: end.errors } });
}
