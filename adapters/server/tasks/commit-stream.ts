// `/admin/changes`: an event stream that says when something was committed, a deploy too, so that an administrator's page reads again what it shows.

import { andThen, type HttpRequest, type HttpResponse, type MaybePromise, type Outlet, type OutletListener } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import { notOpen } from "../http/refusal.ts";
import { textAnswer } from "../http/respond.ts";
import type { LiveClient } from "../parts/live-clients.ts";
import type { ServerParts } from "../parts/server-parts.ts";

/** Commits within this time share an event. */
const pauseMs = 250;

export function commitStream(server: ServerParts, request: HttpRequest): MaybePromise<HttpResponse> {
  return andThen(
    actionRefusal(server, request, { action: { name: "/admin/changes" }, code: "ErrorUnauthorized" }),
    (refusal) => refusal ?? streamed(server),
  );
}

function streamed(server: ServerParts): HttpResponse {
  if (!server.kernel.ready) return textAnswer(503, `${notOpen(server.kernel.trouble)}\n`);
  if (server.clients.full) return textAnswer(503, `${server.clients.fullText}\n`);
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" };
  return { status: 200, headers, body: "", stream: (outlet) => new CommitStream(server, outlet) };
}

/** Keeps one number for its client, however many commits there are. */
class CommitStream implements OutletListener, LiveClient {
  readonly #server: ServerParts;
  readonly #outlet: Outlet;
  readonly #stopListening: () => void;
  readonly #keepAlive: NodeJS.Timeout | undefined;
  #commits = 0;
  #due: NodeJS.Timeout | undefined;

  constructor(server: ServerParts, outlet: Outlet) {
    this.#server = server;
    this.#outlet = outlet;
    server.clients.add(this);
    const { liveKeepAliveMs } = server.kernel.limits;
    if (liveKeepAliveMs > 0) this.#keepAlive = setInterval(() => this.#stayAlive(), liveKeepAliveMs);
    this.#stopListening = server.kernel.storage.changes(() => this.#count());
    this.#send(0);
  }

  #count(): void {
    this.#commits++;
    this.#due ??= setTimeout(() => this.#report(), pauseMs);
  }

  /** A client that is slow gets the sum when it has taken the last event. */
  #report(): void {
    this.#due = undefined;
    if (this.#outlet.waiting > 0 || this.#commits === 0) return;
    this.#send(this.#commits);
    this.#commits = 0;
  }

  #send(commits: number): void {
    this.#outlet.send(`data: {"commits":${commits},"schema":${this.#server.kernel.schemaUpdateCounter}}\n\n`);
  }

  drained(): void {
    this.#due ??= setTimeout(() => this.#report(), pauseMs);
  }

  leaving(): void {
    this.leave();
  }

  leave(): void {
    this.#forget();
    this.#outlet.end();
  }

  closed(): void {
    this.#forget();
  }

  #forget(): void {
    this.#stopListening();
    clearInterval(this.#keepAlive);
    clearTimeout(this.#due);
    this.#server.clients.remove(this);
  }

  #stayAlive(): void {
    if (this.#outlet.waiting === 0) this.#outlet.send(comment);
  }
}

const comment = ":\n\n";
