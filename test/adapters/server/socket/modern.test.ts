// The newer dialect, message by message and close code by close code.
// https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TemporaryKernel } from "../../../support/kernel.ts";
import { boats, ketch, names } from "./boats.ts";
import { type Line, open } from "./line.ts";

let stack: TemporaryKernel;
let line: Line;
beforeEach(async () => {
  stack = await boats({ limits: { maxOperationsPerSocket: 2 } });
  line = await open(stack.kernel, { protocols: "graphql-transport-ws" });
});
afterEach(() => stack.remove());

const init = { type: "connection_init" };
const subscribe = (id: string, payload: unknown = { query: names }) => ({ type: "subscribe", id, payload });
const next = (id: string) => ({ type: "next", id, payload: { data: ketch } });

async function initialised(): Promise<void> {
  line.say(init);
  expect(await line.hear()).toEqual([{ type: "connection_ack" }]);
}

describe("connection_init", () => {
  it.each([undefined, null, {}, { a: 1 }])("with the payload %j is acknowledged", async (payload) => {
    line.say({ ...init, payload });
    expect(await line.hear()).toEqual([{ type: "connection_ack" }]);
  });

  it("is allowed once", async () => {
    await initialised();
    line.say(init);
    expect(line.ended).toEqual([4429, "Too many initialisation requests"]);
  });

  it("must be the first message", () => {
    line.say(subscribe("1"));
    expect(line.ended).toEqual([4401, "Unauthorized"]);
  });

  it("must arrive in time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const late = await open(stack.kernel, { protocols: "graphql-transport-ws" });
      const early = await open(stack.kernel, { protocols: "graphql-transport-ws" });
      vi.advanceTimersByTime(9_999);
      expect(late.ended).toBeUndefined();
      early.say(init);
      vi.advanceTimersByTime(1);
      expect(late.ended).toEqual([4408, "Connection initialisation timeout"]);
      vi.advanceTimersByTime(60_000);
      expect(early.ended).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a subscribe", () => {
  beforeEach(initialised);

  it("to a subscription gets its results", async () => {
    line.say(subscribe("1"));
    expect(await line.hear()).toMatchObject([next("1")]);
    expect(line.unheard).toEqual([]);
  });

  it("to a query gets one result and the end", async () => {
    line.say(subscribe("1", { query: "{ queryBoat { name } }" }));
    expect(await line.hear(2)).toMatchObject([next("1"), { type: "complete", id: "1" }]);
    line.say(subscribe("1", { query: "{ queryBoat { name } }" }));
    expect(await line.hear(2)).toMatchObject([next("1"), { type: "complete", id: "1" }]);
  });

  it("to a mutation runs it", async () => {
    line.say(subscribe("1", { query: 'mutation { addBoat(input: [{name: "Yawl"}]) { numUids } }' }));
    expect(await line.hear(2)).toMatchObject([
      { type: "next", id: "1", payload: { data: { addBoat: { numUids: 1 } } } },
      { type: "complete", id: "1" },
    ]);
  });

  it("to a query with a failing root field gets partial data, and the end", async () => {
    line.say(subscribe("1", { query: '{ queryBoat { name } getBoat(name: "") { name } }' }));
    const [result, end] = await line.hear(2);
    expect(result).toMatchObject({ type: "next", id: "1", payload: { data: ketch } });
    expect(end).toEqual({ type: "complete", id: "1" });
  });

  it("to an invalid document gets every error with its location, and no complete", async () => {
    line.say(subscribe("1", { query: "subscription {\n queryBoat { nope neither } }" }));
    expect(await line.hear()).toMatchObject([
      {
        type: "error",
        id: "1",
        payload: [{ message: expect.stringContaining('"nope"'), locations: [{ line: 2, column: 14 }] }, { locations: [{ line: 2, column: 19 }] }],
      },
    ]);
    line.say(subscribe("1"));
    expect(await line.hear()).toMatchObject([next("1")]);
  });

  it("without a query is refused", async () => {
    line.say(subscribe("1", {}));
    expect(await line.hear()).toEqual([{ type: "error", id: "1", payload: [{ message: "no query string supplied in request" }] }]);
  });

  it("with an id in use ends the connection; the reason is cut where it is too long", async () => {
    const id = "ü".repeat(80);
    line.say(subscribe(id));
    await line.hear();
    line.say(subscribe(id));
    const [code, reason] = (await line.over()) as [number, string];
    expect(code).toBe(4409);
    expect(reason).toMatch(/^Subscriber for ü+$/);
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
  });

  it("with an id in use names it", async () => {
    line.say(subscribe("7"));
    line.say(subscribe("7"));
    expect(line.ended).toEqual([4409, "Subscriber for 7 already exists"]);
  });

  it("beyond the limit is refused until another operation ends", async () => {
    line.say(subscribe("1"));
    line.say(subscribe("2"));
    await line.hear(2);
    line.say(subscribe("3"));
    expect(await line.hear()).toEqual([{ type: "error", id: "3", payload: [{ message: expect.stringContaining("limits.maxOperationsPerSocket") }] }]);
    line.say({ type: "complete", id: "2" });
    line.say(subscribe("3"));
    expect(await line.hear()).toMatchObject([next("3")]);
  });

  it("by the hash of a document resolves a persisted query", async () => {
    const sha256Hash = "0".repeat(64);
    const notFound = { message: "PersistedQueryNotFound", extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } };
    line.say(subscribe("1", { extensions: { persistedQuery: { version: 1, sha256Hash } } }));
    expect(await line.hear()).toEqual([{ type: "error", id: "1", payload: [notFound] }]);
    line.say(subscribe("1", { query: names, extensions: { persistedQuery: { version: 1, sha256Hash } } }));
    expect(await line.hear()).toEqual([{ type: "error", id: "1", payload: [{ message: "provided sha does not match query" }] }]);
  });
});

describe("a complete", () => {
  beforeEach(initialised);

  it("of the client stops all frames of its operation", async () => {
    line.say(subscribe("1"));
    line.say({ type: "complete", id: "1" });
    line.say({ type: "complete", id: "unknown" });
    line.say(subscribe("2"));
    expect(await line.hear()).toMatchObject([next("2")]);
    expect(line.unheard).toEqual([]);
    expect(line.ended).toBeUndefined();
  });
});

describe("a ping", () => {
  it("is answered at once, with its payload, also before the connection is initialised", async () => {
    line.say({ type: "ping" });
    line.say({ type: "ping", payload: { at: 5, deep: { er: [null] } } });
    line.say({ type: "ping", payload: null });
    line.say({ type: "pong", payload: { a: 1 } });
    expect(await line.hear(3)).toEqual([{ type: "pong" }, { type: "pong", payload: { at: 5, deep: { er: [null] } } }, { type: "pong" }]);
    expect(line.ended).toBeUndefined();
  });
});

describe("a protocol error", () => {
  it.each([
    "",
    "{",
    "null",
    "[]",
    "5",
    "{}",
    '{"type":5}',
    '{"type":"start","id":"1","payload":{"query":"{ x }"}}',
    '{"type":"connection_init","payload":"x"}',
    '{"type":"connection_init","payload":[]}',
    '{"type":"subscribe","payload":{"query":"x"}}',
    '{"type":"subscribe","id":"","payload":{"query":"x"}}',
    '{"type":"subscribe","id":5,"payload":{"query":"x"}}',
    '{"type":"subscribe","id":"1"}',
    '{"type":"subscribe","id":"1","payload":null}',
    '{"type":"subscribe","id":"1","payload":"x"}',
    '{"type":"subscribe","id":"1","payload":{"query":5}}',
    '{"type":"subscribe","id":"1","payload":{"query":"x","variables":[]}}',
    '{"type":"subscribe","id":"1","payload":{"query":"x","operationName":5}}',
    '{"type":"subscribe","id":"1","payload":{"query":"x","extensions":"y"}}',
    '{"type":"complete"}',
    '{"type":"ping","payload":5}',
    '{"type":"next","id":"1","payload":{}}',
    '{"type":"connection_ack"}',
    `{"type":"${"🕊".repeat(100)}"}`,
  ])("ends the connection with 4400: %s", async (text) => {
    if (!text.includes("connection_init")) await initialised();
    line.say(text);
    const [code, reason] = (await line.over()) as [number, string];
    expect(code).toBe(4400);
    expect(reason).not.toBe("");
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
    expect(line.unheard).toEqual([]);
  });
});
