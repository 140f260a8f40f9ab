// Results as server-sent events, on plain outlets.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpResponse, Outlet, OutletListener } from "../../../../core/transport.ts";
import type { TemporaryKernel } from "../../../support/kernel.ts";
import { settledOn } from "../../../support/live-clients.ts";
import { boats, names } from "../socket/boats.ts";

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await boats({ limits: { liveKeepAliveMs: 1_000, maxLiveClients: 3 } }, '# Service.Allow-Origin "https://sea.example"\n');
});
afterEach(() => stack.remove());

/** What a client reads of a stream. */
class Reader implements Outlet {
  text = "";
  waiting = 0;
  ended = false;
  readonly listener: OutletListener | undefined;
  #look = () => {};

  constructor({ stream }: HttpResponse) {
    this.listener = stream?.(this);
  }

  send(text: string): void {
    this.text += text;
    this.#look();
  }

  end(): void {
    this.ended = true;
    this.#look();
    this.listener?.closed();
  }

  /** What stands after the first comment, once `part` is there. */
  async until(part: string | "end"): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#look = () => {
        if (part === "end" ? this.ended : this.text.includes(part)) resolve();
      };
      this.#look();
    });
    return this.text.replace(/^:\n\n/, "");
  }
}

type Headers = Readonly<Record<string, string>>;

async function post(body: object | string, headers: Headers = {}): Promise<HttpResponse> {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return stack.kernel.http({
    method: "POST",
    url: "/graphql",
    headers: { accept: "text/event-stream", "content-type": "application/json", ...headers },
    body: bytes,
  });
}

const result = /^event: next\n(?:id: \S+\n)?data: \{"data":\{"queryBoat":\[\{"name":"Ketch"\}\]\}.*\}\n\n/;

describe("an event stream", () => {
  it("has headers against caching and buffering, and is not compressed", async () => {
    const response = await post({ query: names }, { "accept-encoding": "gzip", origin: "https://sea.example" });
    expect(response).toMatchObject({ status: 200, body: "" });
    expect(response.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "access-control-allow-origin": "https://sea.example",
    });
    expect(response.headers).not.toHaveProperty("content-encoding");
  });

  it("sends a subscription's results until the client disconnects", async () => {
    const reader = new Reader(await post({ query: names }));
    expect(await reader.until("event: next")).toMatch(result);
    expect(reader.ended).toBe(false);
    reader.listener?.closed();
    expect(stack.kernel.gauges.read().liveClients).toBe(0);
  });

  it("sends the result of a query or mutation, and ends", async () => {
    const query = new Reader(await post({ query: "{ queryBoat { name } }" }));
    expect(await query.until("end")).toMatch(result);
    expect(query.text).toMatch(/\n\nevent: complete\ndata:\n\n$/);
    const mutation = new Reader(await post({ query: 'mutation { addBoat(input: [{name: "Yawl"}]) { numUids } }' }));
    expect(await mutation.until("end")).toContain('{"addBoat":{"numUids":1}}');
  });

  it("starts by GET too, for EventSource", async () => {
    const url = `/graphql?query=${encodeURIComponent(names)}`;
    const response = await stack.kernel.http({ method: "GET", url, headers: { accept: "text/event-stream" }, body: new Uint8Array() });
    expect(await new Reader(response).until("event: next")).toMatch(result);
  });

  it.each([
    ["a document that is not valid", { query: "subscription { nope }" }, "Cannot query field"],
    ["half a body", '{"query', "Not a valid GraphQL request body"],
    ["no query", {}, "no query string supplied in request"],
    ["a hash nobody knows", { extensions: { persistedQuery: { sha256Hash: "x" } } }, "PersistedQueryNotFound"],
  ])("reports %s by an event", async (_what, body, text) => {
    const response = await post(body);
    expect(response.status).toBe(200);
    const reader = new Reader(response);
    expect(await reader.until("end")).toMatch(/^event: next\ndata: \{"errors":\[\{"message":.*\}\n\nevent: complete\ndata:\n\n$/);
    expect(reader.text).toContain(text);
    expect(stack.kernel.gauges.read().liveClients).toBe(0);
  });

  it("is sent to clients that name its type first or alone", async () => {
    const streams = async (accept: string) => (await post({ query: names }, { accept })).stream !== undefined;
    for (const accept of ["text/event-stream", "text/event-stream, application/json", "text/event-stream; q=0.9, */*"])
      expect(await streams(accept)).toBe(true);
    for (const accept of [
      "application/json, text/event-stream",
      "application/graphql-response+json, application/json, text/event-stream, multipart/mixed",
      "*/*",
      "text/event-streams",
    ]) {
      expect(await streams(accept), accept).toBe(false);
    }
  });

  it("holds results back from a client that reads nothing", async () => {
    const response = await post({ query: names });
    const reader = new Reader(response);
    reader.waiting = 10;
    await settledOn(stack.kernel);
    expect(reader.text).toBe(":\n\n");
    reader.waiting = 0;
    reader.listener?.drained();
    expect(await reader.until("event: next")).toMatch(result);
  });

  it("sends keep-alive comments until it ends", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const reader = new Reader(await post({ query: names }));
      await reader.until("event: next");
      vi.advanceTimersByTime(2_500);
      expect(reader.text).toMatch(/\n\n:\n\n:\n\n$/);
      reader.listener?.closed();
      const { text } = reader;
      vi.advanceTimersByTime(5_000);
      expect(reader.text).toBe(text);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("ends after the first result and without `complete` when the server stops", async () => {
    const first = new Reader(await post({ query: names }));
    await first.until("event: next");
    const second = new Reader(await post({ query: names }));
    first.listener?.leaving();
    second.listener?.leaving();
    expect(first.ended).toBe(true);
    expect(first.text).not.toContain("event: complete");
    expect(await second.until("end")).toMatch(/event: next\n/);
    expect(second.text).not.toContain("event: complete");
  });

  it("counts as a live client, and is refused beyond the limit", async () => {
    const readers = [];
    for (let i = 0; i < 3; i++) readers.push(new Reader(await post({ query: names })));
    const refused = await post({ query: names });
    expect(refused).toMatchObject({ status: 503, headers: { "content-type": "application/json" } });
    expect(String(refused.body)).toContain("limits.maxLiveClients");
    readers[0]?.listener?.closed();
    expect((await post({ query: names })).status).toBe(200);
  });

  it("refuses a mutation of a page of another site", async () => {
    const url = `/graphql?query=${encodeURIComponent('mutation { addBoat(input: [{name: "Yawl"}]) { numUids } }')}`;
    const headers = { accept: "text/event-stream", "sec-fetch-site": "cross-site" };
    const reader = new Reader(await stack.kernel.http({ method: "GET", url, headers, body: new Uint8Array() }));
    expect(await reader.until("end")).toContain('"errors"');
    expect((await stack.kernel.execute({ query: "{ queryBoat { name } }" })).body).not.toContain("Yawl");
  });
});
