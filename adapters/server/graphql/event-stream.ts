// Results as server-sent events, for clients behind proxies that pass no WebSockets: one operation on one response, as the protocol
// of `graphql-sse` has it in its "distinct connections mode".
// https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md

import {
  andThen,
  type CallerRights,
  type HttpRequest,
  type HttpResponse,
  type LiveEnd,
  type MaybePromise,
  type Outlet,
  type OutletListener,
  panicText,
  rescued,
  type Subscription,
  type SubscriptionObserver,
  writeJson,
} from "../../../core/index.ts";
import { corsOf } from "../access/cors.ts";
import type { HttpContext } from "../context.ts";
import { graphqlResponseType } from "../http/media-type.ts";
import { HttpRefusal, refusalError } from "../http/refusal.ts";
import type { LiveClient } from "../socket/live-clients.ts";
import { type DecodedRequest, decodeGraphQL } from "./decode-graphql.ts";
import { type Asking, errorsOf, subscribeDecoded } from "./subscribe.ts";

const eventStreamType = "text/event-stream";

/** Whether the client names `text/event-stream` before the types of plain answers, or alone. */
export function wantsEvents(request: Pick<HttpRequest, "method" | "headers">): boolean {
  const accept = request.headers.accept;
  if (!accept?.includes(eventStreamType) || (request.method !== "GET" && request.method !== "POST")) return false;
  const types = accept.split(",").map((each) => each.split(";", 1)[0]?.trim());
  return types.find((each) => each === eventStreamType || each === graphqlResponseType || each === "application/json") === eventStreamType;
}

/** What is wrong with the request is told on the stream too: a browser shows no page the body of a failed one. */
export function eventStream(context: HttpContext, request: HttpRequest, rights: CallerRights): MaybePromise<HttpResponse> {
  return rescued(
    () =>
      andThen(decodeGraphQL(request, context.limits), (decoded) => streamed(context, request, subscribing(context, request, { decoded, rights }))),
    (thrown) => {
      if (!(thrown instanceof HttpRefusal)) throw thrown;
      return streamed(context, request, (subscriber) => refusing(subscriber, thrown));
    },
  );
}

type Subscribe = (subscriber: SubscriptionObserver) => Subscription;

interface Asked {
  readonly decoded: DecodedRequest;
  readonly rights: CallerRights;
}

/** A browser that lost the stream tells by a header what it saw last. */
function subscribing(context: HttpContext, { headers }: HttpRequest, { decoded, rights }: Asked): Subscribe {
  const asking: Asking = { headers, ...rights };
  const resume = decoded.resume ?? headers["last-event-id"];
  return (subscriber) => subscribeDecoded(context, { ...decoded, resume: resume || undefined }, asking, subscriber);
}

function refusing(subscriber: SubscriptionObserver, refusal: HttpRefusal): Subscription {
  subscriber.end({ kind: "refused", errors: [refusalError(refusal)] });
  return { drained() {}, stop() {}, leave() {} };
}

function streamed(context: HttpContext, request: HttpRequest, subscribe: Subscribe): HttpResponse {
  const headers = {
    "content-type": eventStreamType,
    "cache-control": "no-cache",
    // Some proxies keep small pieces back until they have many.
    "x-accel-buffering": "no",
    ...corsOf(request, context.deployment?.settings),
  };
  return { status: 200, headers, body: "", stream: (outlet) => new EventStream(context, outlet, subscribe) };
}

class EventStream implements OutletListener, SubscriptionObserver, LiveClient {
  readonly #context: HttpContext;
  readonly #outlet: Outlet;
  readonly #keepAlive: NodeJS.Timeout | undefined;
  readonly #subscription: Subscription;
  #leaving = false;
  #over = false;

  constructor(context: HttpContext, outlet: Outlet, subscribe: Subscribe) {
    this.#context = context;
    this.#outlet = outlet;
    context.clients.add(this);
    const { liveKeepAliveMs } = context.limits;
    if (liveKeepAliveMs > 0) this.#keepAlive = setInterval(() => this.#stayAlive(), liveKeepAliveMs);
    // The first piece makes clients see at once that the stream is open.
    outlet.send(comment);
    this.#subscription = subscribe(this);
  }

  ready(): boolean {
    return !this.#over && this.#outlet.waiting === 0;
  }

  next(body: string, resume?: string): void {
    if (!this.#over) this.#outlet.send(nextEvent(body, resume));
  }

  /** A stream that ends without `complete` was interrupted: its client connects again. */
  end(why: LiveEnd): void {
    if (this.#over) return;
    if (why.kind !== "interrupted") {
      const errors = errorsOf(why);
      if (errors !== undefined) this.#outlet.send(nextEvent(writeJson({ errors })));
      this.#outlet.send(completeEvent);
    }
    this.#outlet.end();
    this.#forget();
  }

  /** A fault of ours costs this stream, and nobody else anything. */
  drained(): void {
    if (this.#over) return;
    try {
      this.#subscription.drained();
    } catch (fault) {
      this.#context.log(fault);
      this.#subscription.stop("failed");
      this.end({ kind: "failed", errors: [{ message: panicText }] });
    }
  }

  leaving(): void {
    this.leave();
  }

  /** An operation that has had no result yet gets it first. */
  leave(): void {
    this.#leaving = true;
    this.#subscription.leave();
  }

  closed(): void {
    if (this.#over) return;
    this.#forget();
    // A client of an event stream has no other way to say that it wants no more.
    this.#subscription.stop(this.#leaving ? "shutdown" : "gone");
  }

  #forget(): void {
    this.#over = true;
    clearInterval(this.#keepAlive);
    this.#context.clients.remove(this);
  }

  #stayAlive(): void {
    if (this.ready()) this.#outlet.send(comment);
  }
}

const comment = ":\n\n";
const completeEvent = "event: complete\ndata:\n\n";

/** @param body JSON, which may hold line breaks between its tokens only */
function nextEvent(body: string, id?: string): string {
  const data = body.includes("\n") ? body.replaceAll(/\r?\n/g, " ") : body;
  return `event: next\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}
