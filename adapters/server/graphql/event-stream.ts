// Results as server-sent events, for clients behind proxies that block WebSockets: one operation for each response, the "distinct
// connections mode" of the `graphql-sse` protocol.
// https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md

import {
  andThen,
  type CallerRights,
  type LiveEnd,
  type MaybePromise,
  rescued,
  type Subscription,
  type SubscriptionObserver,
  writeJson,
} from "../../../core/index.ts";
import { internalError, worded } from "../../../core/server.ts";
import type { HttpRequest, HttpResponse, Outlet, OutletListener } from "../../../core/transport.ts";
import { corsOf } from "../http/cors.ts";
import { graphqlResponseType } from "../http/media-type.ts";
import { HttpRefusal, refusalErrors, styleOf } from "../http/refusal.ts";
import type { LiveClient } from "../parts/live-clients.ts";
import type { ServerParts } from "../parts/server-parts.ts";
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

/** Errors of the request are sent on the stream too: a browser does not give pages the body of a failed event stream. */
export function eventStream(server: ServerParts, request: HttpRequest, rights: CallerRights): MaybePromise<HttpResponse> {
  return rescued(
    () => andThen(decodeGraphQL(request, server), (decoded) => streamed(server, request, subscribing(server, request, { decoded, rights }))),
    (thrown) => {
      if (!(thrown instanceof HttpRefusal)) throw thrown;
      return streamed(server, request, (subscriber) => refusing(server, subscriber, thrown));
    },
  );
}

type Subscribe = (subscriber: SubscriptionObserver) => Subscription;

interface Asked {
  readonly decoded: DecodedRequest;
  readonly rights: CallerRights;
}

/** A browser that reconnects sends the id of the last event in the header `Last-Event-ID`. */
function subscribing(server: ServerParts, request: HttpRequest, { decoded, rights }: Asked): Subscribe {
  const { headers } = request;
  const asking: Asking = { headers, ...rights, caller: server.callerOf(request) };
  const resume = decoded.resume ?? headers["last-event-id"];
  return (subscriber) => subscribeDecoded(server, { ...decoded, resume: resume || undefined }, asking, subscriber);
}

function refusing({ kernel }: ServerParts, subscriber: SubscriptionObserver, refusal: HttpRefusal): Subscription {
  subscriber.end({ kind: "refused", errors: refusalErrors(refusal, styleOf(kernel)) });
  return { planned: Promise.resolve(), drained() {}, stop() {}, leave() {} };
}

function streamed(server: ServerParts, request: HttpRequest, subscribe: Subscribe): HttpResponse {
  const headers = {
    "content-type": eventStreamType,
    "cache-control": "no-cache",
    // Some proxies buffer small chunks.
    "x-accel-buffering": "no",
    ...corsOf(request, server.kernel.deployment?.settings),
  };
  return { status: 200, headers, body: "", stream: (outlet) => new EventStream(server, outlet, subscribe) };
}

class EventStream implements OutletListener, SubscriptionObserver, LiveClient {
  readonly #server: ServerParts;
  readonly #outlet: Outlet;
  readonly #keepAlive: NodeJS.Timeout | undefined;
  readonly #subscription: Subscription;
  #leaving = false;
  #over = false;

  constructor(server: ServerParts, outlet: Outlet, subscribe: Subscribe) {
    this.#server = server;
    this.#outlet = outlet;
    server.clients.add(this);
    const { liveKeepAliveMs } = server.kernel.limits;
    if (liveKeepAliveMs > 0) this.#keepAlive = setInterval(() => this.#stayAlive(), liveKeepAliveMs);
    // The first chunk shows clients at once that the stream is open.
    outlet.send(comment);
    this.#subscription = subscribe(this);
  }

  ready(): boolean {
    return !this.#over && this.#outlet.waiting === 0;
  }

  next(body: string, resume?: string): void {
    if (!this.#over) this.#outlet.send(nextEvent(body, resume));
  }

  /** A stream that ends without `complete` was interrupted: its client reconnects. */
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

  /** A fault of the server ends this stream only. */
  drained(): void {
    if (this.#over) return;
    try {
      this.#subscription.drained();
    } catch (fault) {
      this.#server.kernel.log.fault(fault);
      this.#subscription.stop("failed");
      this.end({ kind: "failed", errors: worded([internalError], styleOf(this.#server.kernel)) });
    }
  }

  leaving(): void {
    this.leave();
  }

  /** An operation without a result yet gets its result first. */
  leave(): void {
    this.#leaving = true;
    this.#subscription.leave();
  }

  closed(): void {
    if (this.#over) return;
    this.#forget();
    // Clients of event streams unsubscribe by closing the connection.
    this.#subscription.stop(this.#leaving ? "shutdown" : "gone");
  }

  #forget(): void {
    this.#over = true;
    clearInterval(this.#keepAlive);
    this.#server.clients.remove(this);
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
