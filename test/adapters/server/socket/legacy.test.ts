// The older dialect, message by message. What the recorded transcripts say already is not said again.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TemporaryKernel } from "../../../support/kernel.ts";
import { boats, ketch, names } from "./boats.ts";
import { type Line, open } from "./line.ts";

let stack: TemporaryKernel;
let line: Line;
beforeEach(async () => {
  stack = await boats({ limits: { maxOperationsPerSocket: 2, liveKeepAliveMs: 0 } });
  line = await open(stack.kernel, { protocols: "graphql-ws" });
});
afterEach(() => stack.remove());

const start = (id: string, payload: unknown = { query: names }) => ({ type: "start", id, payload });
const data = (id: string) => ({ type: "data", id, payload: { data: ketch } });

describe("a start", () => {
  it("runs the named operation with its variables", async () => {
    const query = "subscription a { queryBoat { name } } subscription b ($name: String!) { getBoat(name: $name) { name } }";
    line.say(start("1", { query, operationName: "b", variables: { name: "Ketch" } }));
    expect(await line.hear()).toMatchObject([{ type: "data", id: "1", payload: { data: { getBoat: { name: "Ketch" } } } }]);
  });

  it("of a query or a mutation is refused, and the mutation does not run", async () => {
    for (const query of ["{ queryBoat { name } }", 'mutation { addBoat(input: [{name: "Yawl"}]) { numUids } }']) {
      line.say(start("1", { query }));
      expect(await line.hear(2)).toEqual([
        { type: "error", id: "1", payload: { message: "given GraphQL operation is not a subscription" } },
        { type: "complete", id: "1" },
      ]);
    }
    line.say(start("2"));
    expect(await line.hear()).toMatchObject([data("2")]);
  });

  it.each([
    ["a list", []],
    ["a number", 5],
    ["a query that is no text", { query: 5 }],
    ["variables that are a list", { query: names, variables: [] }],
    ["variables that are a text", { query: names, variables: "{}" }],
    ["an operation name that is no text", { query: names, operationName: {} }],
  ])("with %s as payload is refused, with its id", async (_what, payload) => {
    line.say(start("1", payload));
    expect(await line.hear()).toEqual([{ type: "connection_error", id: "1", payload: { message: "invalid payload for type: start" } }]);
  });

  it.each([null, {}, { query: null }, { query: "" }])("with %j as payload has no query", async (payload) => {
    line.say(start("1", payload));
    expect(await line.hear(2)).toEqual([
      { type: "error", id: "1", payload: { message: "no query string supplied in request" } },
      { type: "complete", id: "1" },
    ]);
  });

  it("with an id in use silently replaces the first", async () => {
    line.say(start("1"));
    await line.hear();
    line.say(start("1", { query: 'subscription { getBoat(name: "Ketch") { name } }' }));
    expect(await line.hear()).toMatchObject([{ type: "data", id: "1", payload: { data: { getBoat: { name: "Ketch" } } } }]);
    line.say({ type: "stop", id: "1" });
    expect(await line.hear()).toEqual([{ type: "complete", id: "1" }]);
    expect(line.unheard).toEqual([]);
  });

  it("beyond the limit is refused until another operation ends", async () => {
    line.say(start("1"));
    line.say(start("2"));
    await line.hear(2);
    line.say(start("3"));
    expect(await line.hear(2)).toEqual([
      { type: "error", id: "3", payload: { message: expect.stringContaining("limits.maxOperationsPerSocket") } },
      { type: "complete", id: "3" },
    ]);
    line.say({ type: "stop", id: "1" });
    line.say(start("3"));
    expect(await line.hear(2)).toMatchObject([{ type: "complete", id: "1" }, data("3")]);
  });

  it("of a document with several mistakes names each with its line", async () => {
    line.say(start("1", { query: "subscription {\n queryBoat { nope\n neither } }" }));
    const [error] = await line.hear(2);
    expect(error?.payload).toEqual({ message: expect.stringMatching(/^input:2: .*"nope".*\ninput:3: .*"neither".*\n$/) });
  });

  it("keeps the digits of long integers", async () => {
    await stack.kernel.execute({ query: 'mutation { addBoat(input: [{name: "Yawl", masts: 9007199254740993}]) { numUids } }' });
    const query = 'subscription ($m: Int64) { queryBoat(filter: {name: {eq: "Yawl"}}) { masts } }';
    line.say(`{"type":"start","id":"1","payload":{"query":${JSON.stringify(query.replace("($m: Int64) ", ""))}}}`);
    const heard = vi.spyOn(JSON, "parse");
    await line.hear();
    expect(heard.mock.calls.join()).toContain('"masts":9007199254740993');
    heard.mockRestore();
  });
});

describe("malformed messages", () => {
  it.each(["", "{", "[]", "5", '"start"', '{"type":5}', '{"type":"start","id":7}', '{"type":{}}', "\u0000", '{"type":"start","id":["1"]}'])(
    "are refused, and the connection goes on: %j",
    async (text) => {
      line.say(text);
      expect(await line.hear()).toEqual([{ type: "connection_error", payload: { message: expect.any(String) } }]);
      line.say(start("1"));
      expect(await line.hear()).toMatchObject([data("1")]);
    },
  );

  it.each([
    ["null", { type: "error", payload: { message: "unknown operation message of type: " } }],
    ["{}", { type: "error", payload: { message: "unknown operation message of type: " } }],
    ['{"type":null,"id":null}', { type: "error", payload: { message: "unknown operation message of type: " } }],
    ['{"type":"ping","id":"x"}', { type: "error", id: "x", payload: { message: "unknown operation message of type: ping" } }],
    ['{"type":"__proto__"}', { type: "error", payload: { message: "unknown operation message of type: __proto__" } }],
  ])("%s is of an unknown type", async (text, answer) => {
    line.say(text);
    expect(await line.hear()).toEqual([answer]);
  });
});

describe("an end", () => {
  it("by stop is always answered with complete", async () => {
    line.say({ type: "stop" });
    line.say({ type: "stop", id: "x" });
    expect(await line.hear(2)).toEqual([{ type: "complete" }, { type: "complete", id: "x" }]);
    expect(line.ended).toBeUndefined();
  });

  it("by connection_terminate closes the connection", async () => {
    line.say({ type: "connection_terminate" });
    expect(line.ended).toEqual([1000, ""]);
    line.say(start("1"));
    expect(line.unheard).toEqual([]);
  });
});

describe("keep-alives", () => {
  it("follow the acknowledgement and repeat while the client reads them", async () => {
    // A database's driver has timers of its own.
    const alive = await boats({ limits: { liveKeepAliveMs: 1_000 } });
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const other = await open(alive.kernel, { protocols: "graphql-ws" });
      vi.advanceTimersByTime(5_000);
      expect(other.unheard).toEqual([]);
      other.say({ type: "connection_init" });
      expect(await other.hear(2)).toEqual([{ type: "connection_ack" }, { type: "ka" }]);
      vi.advanceTimersByTime(2_000);
      expect(await other.hear(2)).toEqual([{ type: "ka" }, { type: "ka" }]);
      other.say({ type: "connection_init" });
      vi.advanceTimersByTime(1_000);
      expect(await other.hear(2)).toEqual([{ type: "connection_ack" }, { type: "ka" }]);
      other.waiting = 1;
      vi.advanceTimersByTime(5_000);
      expect(other.unheard).toEqual([]);
      other.leave();
      vi.advanceTimersByTime(5_000);
      expect(vi.getTimerCount()).toBe(0);
      await alive.remove();
    } finally {
      vi.useRealTimers();
    }
  });
});
