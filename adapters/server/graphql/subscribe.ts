// Starts a live operation from a decoded request, for every protocol that pushes results.

import {
  isPromise,
  type LiveEnd,
  type LiveError,
  type LiveRequest,
  type StopReason,
  type Subscription,
  type SubscriptionObserver,
} from "../../../core/index.ts";
import { internalError, worded } from "../../../core/server.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import { HttpRefusal, refusalErrors, styleOf } from "../http/refusal.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import type { DecodedRequest } from "./decode-graphql.ts";
import { permitPersisted, type ResolvedDocument, resolveDocument } from "./persisted-query.ts";

/** What the protocol adds to the request. */
export interface Asking {
  /** Names in lower case. */
  readonly headers: HttpRequest["headers"];
  /** Queries and mutations are refused. */
  readonly subscriptionsOnly?: boolean;
  /** Mutations are refused. */
  readonly queriesOnly?: boolean;
  readonly introspects?: boolean;
  readonly caller?: LiveRequest["caller"];
}

/** Starts the operation once its document is resolved. Never calls the observer synchronously. */
export function subscribeDecoded(server: ServerParts, decoded: DecodedRequest, asking: Asking, subscriber: SubscriptionObserver): Subscription {
  try {
    const document = resolveDocument(decoded, server, () => permitPersisted(server.access, asking));
    if (!isPromise(document)) return server.kernel.subscribe(liveRequest(decoded, document, asking), subscriber);
    const late = new LateSubscription();
    document.then(
      (known) => late.begin(() => server.kernel.subscribe(liveRequest(decoded, known, asking), subscriber)),
      (thrown) => late.begin(() => refused(server, thrown, subscriber)),
    );
    return late;
  } catch (thrown) {
    return refused(server, thrown, subscriber);
  }
}

/** The errors that an end means for the client; undefined: none. */
export function errorsOf(end: Exclude<LiveEnd, { readonly kind: "interrupted" }>): readonly LiveError[] | undefined {
  return end.kind === "complete" ? undefined : end.errors;
}

function liveRequest({ operationName, variables, plan, resume }: DecodedRequest, document: ResolvedDocument, asking: Asking): LiveRequest {
  const { query, keep: admitted } = document;
  const request = { query, operationName, variables, plan, admitted, ...asking };
  return resume === undefined ? request : { ...request, resume };
}

function refused(server: ServerParts, thrown: unknown, subscriber: SubscriptionObserver): Subscription {
  if (!(thrown instanceof HttpRefusal)) server.kernel.log.fault(thrown);
  const style = styleOf(server.kernel);
  const errors = thrown instanceof HttpRefusal ? refusalErrors(thrown, style) : worded([internalError], style);
  let wanted = true;
  queueMicrotask(() => {
    if (wanted) subscriber.end({ kind: "refused", errors });
  });
  return {
    planned: Promise.resolve(),
    drained() {},
    stop() {
      wanted = false;
    },
    leave() {},
  };
}

/** A subscription whose document is being resolved. */
class LateSubscription implements Subscription {
  readonly planned: Promise<void>;
  #setPlanned: (planned: PromiseLike<void> | undefined) => void = () => {};
  #subscription: Subscription | undefined;
  #stopped = false;
  #leaving = false;

  constructor() {
    this.planned = new Promise((resolve) => {
      this.#setPlanned = (planned) => resolve(planned);
    });
  }

  begin(subscribe: () => Subscription): void {
    if (!this.#stopped) this.#subscription = subscribe();
    this.#setPlanned(this.#subscription?.planned);
    if (this.#subscription === undefined) return;
    if (this.#leaving) this.#subscription.leave();
  }

  drained(): void {
    this.#subscription?.drained();
  }

  stop(why?: StopReason): void {
    this.#stopped = true;
    this.#subscription?.stop(why);
  }

  leave(): void {
    this.#leaving = true;
    this.#subscription?.leave();
  }
}
