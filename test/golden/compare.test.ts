// The comparison itself: what it lets pass and what it does not.

import { describe, expect, it } from "vitest";
import { atPath, compareAnswer, compareBody, Play } from "./answers.ts";
import { compareData, compareErrors } from "./compare.ts";

const inOrder = { ordered: true };
const anyOrder = { ordered: false };

describe("lists", () => {
  it("compare in order where the case says so, else as multisets", () => {
    expect(compareData({ a: [1, 2] }, { a: [1, 2] }, inOrder)).toEqual([]);
    expect(compareData({ a: [2, 1] }, { a: [1, 2] }, inOrder)).not.toEqual([]);
    expect(compareData({ a: [2, 1] }, { a: [1, 2] }, anyOrder)).toEqual([]);
    expect(compareData({ a: [1, 1, 2] }, { a: [1, 2, 2] }, anyOrder)).not.toEqual([]);
    expect(compareData({ a: [1] }, { a: [1, 1] }, anyOrder)).not.toEqual([]);
  });

  it("compare as multisets at every depth", () => {
    expect(
      compareData(
        [
          { n: 1, l: ["x", "y"] },
          { n: 2, l: [] },
        ],
        [
          { l: [], n: 2 },
          { l: ["y", "x"], n: 1 },
        ],
        anyOrder,
      ),
    ).toEqual([]);
    expect(
      compareData(
        [
          { n: 1, l: [] },
          { n: 2, l: ["x"] },
        ],
        [
          { n: 1, l: ["x"] },
          { n: 2, l: [] },
        ],
        anyOrder,
      ),
    ).not.toEqual([]);
  });
});

describe("members", () => {
  it("are neither missing nor more, and null is no missing one", () => {
    expect(compareData({ a: 1 }, { a: 1, b: null }, inOrder)).not.toEqual([]);
    expect(compareData({ a: 1, b: null }, { a: 1 }, inOrder)).not.toEqual([]);
    expect(compareData({ a: 1, b: null }, { a: 1 }, anyOrder)).not.toEqual([]);
    expect(compareData({ a: 1 }, { a: "1" }, inOrder)).not.toEqual([]);
    expect(compareData({ a: 1 }, { a: "1" }, anyOrder)).not.toEqual([]);
    expect(compareData(undefined, null, inOrder)).not.toEqual([]);
  });
});

describe("ids", () => {
  it("stand for one node each where order counts", () => {
    expect(compareData(["0x1", "0x2", "0x1"], ["@1", "@2", "@1"], inOrder)).toEqual([]);
    expect(compareData(["0x1", "0x1", "0x1"], ["@1", "@2", "@1"], inOrder)).not.toEqual([]);
    expect(compareData(["0x1", "0x2", "0x3"], ["@1", "@2", "@1"], inOrder)).not.toEqual([]);
    expect(compareData(["P1"], ["@1"], inOrder)).not.toEqual([]);
  });

  it("are any ids where it does not, and are unlike inside texts", () => {
    expect(compareData(["0x1", "0x2"], ["@2", "@1"], anyOrder)).toEqual([]);
    expect(compareData(["x"], ["@1"], anyOrder)).not.toEqual([]);
    expect(compareData("node 0x17 is taken", "node 0x? is taken", inOrder)).toEqual([]);
    expect(compareData("node 0x17 is taken", "node 0x? is free", inOrder)).not.toEqual([]);
  });
});

describe("integers beyond 2^53", () => {
  it("are equal by all their digits", () => {
    expect(compareData({ big: 9007199254740993n }, { big: { "@int": "9007199254740993" } }, inOrder)).toEqual([]);
    expect(compareData({ big: 9007199254740992n }, { big: { "@int": "9007199254740993" } }, inOrder)).not.toEqual([]);
    expect(compareData([{ big: 9007199254740993n }], [{ big: { "@int": "9007199254740993" } }], anyOrder)).toEqual([]);
    expect(compareData({ big: "9007199254740993" }, { big: { "@int": "9007199254740993" } }, inOrder)).not.toEqual([]);
  });
});

describe("errors", () => {
  it("are equal by number and path", () => {
    expect(compareErrors([{ message: "a", path: ["x", 0] }], [{ message: "b", path: ["x", 0] }])).toEqual([]);
    expect(compareErrors([{ path: ["x", 0] }], [{ path: ["x", "0"] }])).not.toEqual([]);
    expect(compareErrors([{ message: "a" }], [{ message: "a" }, { message: "b" }])).not.toEqual([]);
    expect(compareErrors([{ path: ["a"] }, { path: ["b"] }], [{ path: ["b"] }, { path: ["a"] }])).toEqual([]);
  });

  it("of a request refused as a whole only have to be there", () => {
    const refused = { errors: [{ message: "one" }, { message: "two" }] };
    expect(compareBody({ errors: [{ message: "other" }] }, refused, true)).toEqual([]);
    expect(compareBody({ data: {} }, refused, true)).not.toEqual([]);
    expect(compareBody({ data: {}, errors: [{ message: "one" }] }, refused, true)).not.toEqual([]);
    expect(compareBody({ errors: [{ message: "late" }] }, { data: { a: 1 } }, true)).not.toEqual([]);
  });

  it("of the administration have their codes", () => {
    const refused = { errors: [{ message: "one", extensions: { code: "Error" } }] };
    expect(compareBody({ errors: [{ message: "other", extensions: { code: "Error" } }] }, refused, true)).toEqual([]);
    expect(compareBody({ errors: [{ message: "other" }] }, refused, true)).not.toEqual([]);
  });
});

describe("answers", () => {
  it("have the recorded status, also when all else is equal", () => {
    expect(compareAnswer({ status: 200, body: { data: {} }, text: "" }, { status: 200, data: {} }, true)).toEqual([]);
    expect(compareAnswer({ status: 400, body: { data: {} }, text: "" }, { status: 200, data: {} }, true)).not.toEqual([]);
  });

  it("that are no GraphQL answers compare whole, those that are no JSON as text", () => {
    expect(compareAnswer({ status: 200, body: { status: "up", n: 1 }, text: "" }, { status: "up", n: 1 }, true)).toEqual([]);
    expect(compareAnswer({ status: 200, body: { status: "up", n: 2 }, text: "" }, { status: "up", n: 1 }, true)).not.toEqual([]);
    expect(compareAnswer({ status: 200, body: undefined, text: "" }, { status: 200, text: "" }, true)).toEqual([]);
    expect(compareAnswer({ status: 200, body: undefined, text: "x" }, { status: 200, text: "" }, true)).not.toEqual([]);
  });
});

describe("a play", () => {
  /** Answers with what it was sent. */
  const echo = {
    http: (request: { readonly body: Uint8Array }) => ({
      status: 200,
      headers: {},
      body: `{"data":{"sent":${JSON.stringify(Buffer.from(request.body).toString())},"id":"0x2a","n":7}}`,
    }),
  };

  it("puts captured values where later steps name them, and leaves other braces", async () => {
    const play = new Play(echo);
    await play.run({ name: "first", query: "{ a }", capture: { ann: "data.id" } });
    const wanted = { status: 200, data: { sent: '{"query":"{ b(id: \\"0x?\\") {ben} }","variables":{"x":["0x?"]}}', id: "@1", n: 7 } };
    expect(await play.run({ name: "second", query: '{ b(id: "{ann}") {ben} }', variables: { x: ["{ann}"] }, answer: wanted })).toEqual([]);
  });

  it("subtracts captured numbers, also from the answer that captures", async () => {
    const play = new Play({ http: () => ({ status: 200, headers: {}, body: '{"status":"up","counter":41}' }) });
    const step = { name: "probe", method: "GET", minus: { counter: "c" }, answer: { status: "up", counter: 0 } };
    expect(await play.run({ ...step, capture: { c: "counter" } })).toEqual([]);
    expect(await play.run({ ...step, answer: { status: "up", counter: 1 } })).not.toEqual([]);
    const risen = { http: () => ({ status: 200, headers: {}, body: '{"status":"up","counter":44}' }) };
    const later = new Play(risen);
    expect(await later.run({ ...step, capture: { c: "counter" } })).toEqual([]);
  });

  it("compares with `expect` where there is one", async () => {
    const play = new Play({ http: () => ({ status: 200, headers: {}, body: '{"data":{"a":1}}' }) });
    expect(
      await play.run({ name: "both", query: "{ a }", answer: { status: 200, data: { a: 2 } }, expect: { status: 200, data: { a: 1 } } }),
    ).toEqual([]);
    expect(
      await play.run({ name: "both", query: "{ a }", answer: { status: 200, data: { a: 1 } }, expect: { status: 200, data: { a: 2 } } }),
    ).not.toEqual([]);
  });

  it("says when a step of the setup fails", async () => {
    const play = new Play({ http: () => ({ status: 200, headers: {}, body: '{"errors":[{"message":"no"}]}' }) });
    expect(await play.run({ name: "setup", query: "{ a }" })).toEqual(['setup fails: {"errors":[{"message":"no"}]}']);
  });

  it("finds captured values in lists and objects", () => {
    expect(atPath({ data: { list: [{ id: 1 }, { id: 2 }] } }, "data.list.1.id")).toBe(2);
    expect(atPath({ data: null }, "data.list.1.id")).toBeUndefined();
  });
});
