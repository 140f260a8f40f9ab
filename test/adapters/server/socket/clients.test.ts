// What both dialects owe every client: who it is, whether it is still there, how much it takes, and a goodbye.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { operationHeaders } from "../../../../adapters/server/socket/parameters.ts";
import type { TemporaryKernel } from "../../../support/kernel.ts";
import { settledOn } from "../../../support/live-clients.ts";
import { boats, names } from "./boats.ts";
import { type Line, open } from "./line.ts";

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await boats({ limits: { liveKeepAliveMs: 0, socketPingMs: 1_000 } });
});
afterEach(async () => {
  vi.useRealTimers();
  await stack.remove();
});

const dialects = {
  "graphql-ws": { begin: "start", result: "data" },
  "graphql-transport-ws": { begin: "subscribe", result: "next" },
} as const;

describe("connection parameters", () => {
  const upgrade = { host: "sea.example", "x-token": "upgrade", cookie: "a=1" };

  it("that are strings become headers and override those of the upgrade", () => {
    expect(operationHeaders({ "X-Token": "init", other: "o", n: 1, o: { a: "b" }, l: ["x"], nothing: null, yes: true }, upgrade)).toEqual({
      ...upgrade,
      "x-token": "init",
      other: "o",
    });
  });

  it("that are empty leave the upgrade's headers", () => {
    expect(operationHeaders({ "x-TOKEN": " ", Other: "" }, upgrade)).toEqual({ ...upgrade, other: "" });
  });

  it("may have any name", () => {
    const parameters = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}');
    expect(Object.entries(operationHeaders(parameters, {}))).toEqual([
      ["__proto__", "p"],
      ["constructor", "c"],
      ["tostring", "t"],
    ]);
  });
});

describe.each(Object.entries(dialects))("%s", (protocols, { begin, result }) => {
  let line: Line;
  beforeEach(async () => {
    line = await open(stack.kernel, { protocols });
    line.say({ type: "connection_init" });
    await line.hear();
  });
  const ask = (id: string, query = names) => line.say({ type: begin, id, payload: { query } });

  it("sends a stalled client nothing, and its operations in turn when it reads again", async () => {
    line.waiting = 1;
    for (const id of ["1", "2", "3"]) ask(id);
    await settledOn(stack.kernel);
    expect(line.unheard).toEqual([]);
    const send = vi.spyOn(line, "send").mockImplementation(function (this: Line, text: string) {
      this.waiting = text.length;
      sent.push(JSON.parse(text).id);
    });
    const sent: string[] = [];
    line.take();
    expect(sent).toEqual(["1"]);
    line.take();
    line.take();
    line.take();
    expect(sent).toEqual(["1", "2", "3"]);
    send.mockRestore();
  });

  it("sends nothing to a client that has disconnected", async () => {
    ask("1");
    line.leave();
    await settledOn(stack.kernel);
    line.say({ type: "ping" });
    expect(line.unheard).toEqual([]);
  });

  it("drops a peer that answers no ping, and no other", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const silent = await open(stack.kernel, { protocols });
    const answering = await open(stack.kernel, { protocols });
    const talking = await open(stack.kernel, { protocols });
    for (let second = 0; second < 4; second++) {
      vi.advanceTimersByTime(1_000);
      answering.listener?.pong();
      talking.say({ type: protocols === "graphql-ws" ? "ka" : "ping" });
    }
    expect([silent.ended, answering.ended, talking.ended]).toEqual(["terminated", undefined, undefined]);
    expect([silent.pings, answering.pings]).toEqual([1, 4]);
    for (const each of [answering, talking]) each.leave();
  });

  it("does not drop a slow peer", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const slow = await open(stack.kernel, { protocols });
    slow.waiting = 1_000_000;
    vi.advanceTimersByTime(60_000);
    expect([slow.ended, slow.pings]).toEqual([undefined, 0]);
    slow.take();
    vi.advanceTimersByTime(1_000);
    expect([slow.ended, slow.pings]).toEqual([undefined, 1]);
    slow.leave();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("sends pending first results but no end when the server stops, and closes with 1012", async () => {
    ask("1");
    await line.hear();
    ask("2");
    line.listener?.leaving();
    ask("3");
    expect(await line.hear()).toMatchObject([{ type: result, id: "2" }]);
    expect(await line.over()).toEqual([1012, "Service restart"]);
    expect(line.unheard).toEqual([]);
  });

  it("closes at once when the server stops without pending operations", async () => {
    const close = vi.spyOn(line, "close");
    line.listener?.leaving();
    line.listener?.leaving();
    stack.kernel.setDraining(true);
    expect(line.ended).toEqual([1012, "Service restart"]);
    expect(close).toHaveBeenCalledTimes(1);
  });

  it("answers a fault with a fixed text, logs it, and stays open", async () => {
    const fault = vi.spyOn(stack.kernel.log, "fault").mockImplementation(() => {});
    const subscribe = vi.spyOn(stack.kernel, "subscribe").mockImplementation(() => {
      throw new TypeError("the mill burns");
    });
    ask("1");
    expect(JSON.stringify(await line.hear())).toMatch(/"type":"error".*A stack trace was logged/);
    expect(fault).toHaveBeenCalledWith(expect.objectContaining({ message: "the mill burns" }));
    for (const each of [fault, subscribe]) each.mockRestore();
    await settledOn(stack.kernel);
    expect(line.ended).toBeUndefined();
  });

  it("closes the connection when a fault left a message unanswered", async () => {
    const fault = vi.spyOn(stack.kernel.log, "fault").mockImplementation(() => {});
    const other = await open(stack.kernel, { protocols });
    const send = vi.spyOn(other, "send").mockImplementation(() => {
      throw new TypeError("the mill burns");
    });
    other.say({ type: "connection_init" });
    expect(other.ended).toEqual([4500, "Internal server error"]);
    expect(fault).toHaveBeenCalledWith(expect.objectContaining({ message: "the mill burns" }));
    for (const each of [fault, send]) each.mockRestore();
  });
});
