// Functions in the process: what they get, what becomes of their results and errors, and what they may ask of the server.

import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { FunctionCall } from "../../../plugins/lambda/index.ts";
import { deploy } from "./api.ts";

const schema = `
  type Keeper {
    handle: String! @id
    name: String
    big: Int64
    rank: Rank
    pals: [Keeper]
    greeting(loud: Boolean): String @lambda
    best: Keeper @lambda
    words: [String!] @lambda
  }
  enum Rank { NEW OLD }
  type Query { nearest(at: Int = 7, by: String): String @lambda  twice(n: Int!): Int @lambda }
  type Mutation { sell(handle: String!): Boolean @lambda }
`;

const nothing = {
  "Keeper.greeting": () => [],
  "Keeper.best": () => [],
  "Keeper.words": () => [],
  "Query.nearest": () => null,
  "Query.twice": () => null,
};
const none = { ...nothing, "Mutation.sell": () => null };

async function withFunctions(functions: Readonly<Record<string, (call: FunctionCall) => unknown>>, timeoutMs = 5_000) {
  const api = await deploy(schema, { functions: { ...none, ...functions }, timeoutMs });
  await api.ask(
    `mutation { addKeeper(input: [{ handle: "bo", big: 9007199254740993, rank: OLD }, { handle: "ines", name: "Ines", pals: [{ handle: "bo" }] }]) { numUids } }`,
  );
  return api;
}

describe("a function of a field of a type", () => {
  it("is called once with the values of all parents, and gives one value for each", async () => {
    const calls: FunctionCall[] = [];
    const api = await withFunctions({
      "Keeper.greeting": (call) => {
        calls.push(call);
        return call.parents.map(({ name, handle }) => `Hello ${name ?? handle}`);
      },
    });
    expect((await api.ask("{ queryKeeper { handle greeting pals { greeting } } }")).data).toEqual({
      queryKeeper: [
        { handle: "bo", greeting: "Hello bo", pals: [] },
        { handle: "ines", greeting: "Hello Ines", pals: [{ greeting: "Hello bo" }] },
      ],
    });
    // One call for each place of the document. No enum, no link; a field without a value is absent.
    expect(calls.map(({ parents }) => parents).sort((a, b) => b.length - a.length)).toEqual([
      [
        { handle: "bo", big: 9007199254740993n },
        { handle: "ines", name: "Ines" },
      ],
      [{ handle: "bo", big: 9007199254740993n }],
    ]);
  });

  it("gets the field's own arguments", async () => {
    const api = await withFunctions({ "Keeper.greeting": ({ args, parents }) => parents.map(() => JSON.stringify(args)) });
    expect((await api.ask(`{ getKeeper(handle: "bo") { greeting(loud: true) } }`)).data).toEqual({ getKeeper: { greeting: '{"loud":true}' } });
  });

  it("may give objects, lists and null, which are cut to the selection", async () => {
    const api = await withFunctions({
      "Keeper.best": ({ parents }) => parents.map((_, i) => (i === 0 ? { handle: "x", name: "X", secret: 1 } : null)),
      "Keeper.words": ({ parents }) => parents.map(() => ["a", "b"]),
    });
    expect((await api.ask("{ queryKeeper { best { name } words } }")).data).toEqual({
      queryKeeper: [
        { best: { name: "X" }, words: ["a", "b"] },
        { best: null, words: ["a", "b"] },
      ],
    });
  });

  it("that gives another number of values is an error of the field; others are answered", async () => {
    const api = await withFunctions({ "Keeper.greeting": () => ["one"], "Keeper.words": ({ parents }) => parents.map(() => ["w"]) });
    const { data, errors } = await api.ask("{ queryKeeper { greeting words } }");
    expect(data).toEqual({
      queryKeeper: [
        { greeting: null, words: ["w"] },
        { greeting: null, words: ["w"] },
      ],
    });
    expect(errors?.map(({ message }) => message)).toEqual([
      "Evaluation of custom field failed because expected result of external request to be of size 2, got: 1 for field: greeting within type: Keeper.",
    ]);
  });

  it("cannot change what other calls get", async () => {
    const api = await withFunctions({
      "Keeper.greeting": ({ parents }) =>
        parents.map((parent) => {
          Object.assign(parent, { handle: "stolen" });
          return "ok";
        }),
    });
    await api.ask("{ queryKeeper { greeting } }");
    expect((await api.ask("{ queryKeeper { handle greeting } }")).data).toEqual({
      queryKeeper: [
        { handle: "bo", greeting: "ok" },
        { handle: "ines", greeting: "ok" },
      ],
    });
  });
});

describe("a function of a query or mutation", () => {
  it("gets the arguments with defaults; null is null, and what is not given is absent", async () => {
    const seen: unknown[] = [];
    const api = await withFunctions({ "Query.nearest": ({ args }) => void seen.push(args) });
    await api.ask("{ nearest }");
    await api.ask("{ nearest(at: 1, by: null) }");
    await api.ask("query($by: String) { nearest(by: $by) }");
    expect(seen).toEqual([{ at: 7 }, { at: 1, by: null }, { at: 7 }]);
  });

  it("executes requests as the caller, or as the administrator", async () => {
    const api = await withFunctions({
      "Mutation.sell": async ({ args, quern }) => {
        const { errors } = await quern.graphql(
          `mutation($h: String!) { updateKeeper(input: { filter: { handle: { eq: $h } }, set: { name: "sold" } }) { numUids } }`,
          { h: args.handle },
        );
        return errors.length === 0;
      },
      "Query.nearest": async ({ quern }) => JSON.stringify((await quern.graphql("{ queryKeeper { name } }", {}, { as: "admin" })).data),
    });
    expect((await api.ask(`mutation { sell(handle: "bo") }`)).data).toEqual({ sell: true });
    expect((await api.ask("{ nearest }")).data).toEqual({ nearest: '{"queryKeeper":[{"name":"sold"},{"name":"Ines"}]}' });
  });

  it("that throws is that field's error, and the later mutations do not run", async () => {
    const api = await withFunctions({
      "Mutation.sell": () => {
        throw new Error("no stock");
      },
    });
    const { data, errors } = await api.ask(`mutation { sell(handle: "a") addKeeper(input: [{ handle: "late" }]) { numUids } }`);
    expect(data).toEqual({ sell: null });
    expect(errors?.[0]?.message).toBe(
      "Evaluation of custom field failed because external request returned an error: no stock for field: sell within type: Mutation.",
    );
    expect((await api.ask(`{ getKeeper(handle: "late") { handle } }`)).data).toEqual({ getKeeper: null });
  });

  it("that never ends is cut off by the time limit; other fields are answered, and its signal is aborted", async () => {
    let signal: AbortSignal | undefined;
    const forever = (call: FunctionCall) => {
      signal = call.signal;
      return new Promise(() => undefined);
    };
    const api = await withFunctions({ "Query.nearest": forever, "Query.twice": ({ args }) => Number(args.n) * 2 }, 100);
    const { data, errors } = await api.ask("{ nearest twice(n: 4) }");
    expect(data).toEqual({ nearest: null, twice: 8 });
    expect(errors?.map(({ message }) => message)).toEqual([
      "Evaluation of custom field failed because external request returned an error: Query.nearest does not answer within 100 ms for field: nearest within type: Query.",
    ]);
    expect(signal?.aborted).toBe(true);
  });

  it("ends with the client: its signal is aborted", async () => {
    let gone: () => void = () => undefined;
    let signal: AbortSignal | undefined;
    const api = await withFunctions({
      "Query.nearest": async (call) => {
        signal = call.signal;
        await pause(20);
        gone();
        await pause(2_000, undefined, { signal: call.signal }).catch(() => undefined);
        return "late";
      },
    });
    await api.ask("{ nearest }", { onGone: (listener) => (gone = listener) });
    expect(signal?.aborted).toBe(true);
  });

  it("may return what JSON cannot hold: a Date is a text, NaN is null, a circle is an error", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const results: unknown[] = [new Date(0), Number.NaN, undefined, circle];
    const api = await withFunctions({ "Query.nearest": () => results.shift() });
    expect((await api.ask("{ nearest }")).data).toEqual({ nearest: "1970-01-01T00:00:00.000Z" });
    expect((await api.ask("{ nearest }")).data).toEqual({ nearest: null });
    expect((await api.ask("{ nearest }")).data).toEqual({ nearest: null });
    expect((await api.ask("{ nearest }")).errors).toHaveLength(1);
  });
});

describe("a deploy", () => {
  const { "Query.twice": _, ...lacking } = none;

  it("is refused when a function is missing, and names the field and a similar name", async () => {
    await expect(deploy(schema, { functions: { ...lacking, "Query.twic": () => 1 } })).rejects.toThrow(
      'Nothing handles Query.twice: the option functions of lambdaPlugin has no "Query.twice"; did you mean "Query.twic"?',
    );
  });

  it("is accepted when a lambda server handles the rest", async () => {
    await expect(deploy(schema, { functions: lacking, url: "http://127.0.0.1:9/" })).resolves.toBeDefined();
  });

  it("is refused in Dgraph's words when there is no handler at all", async () => {
    await expect(deploy("type Query { hi: String @lambda } type T { a: String }", {})).rejects.toThrow(
      `Type Query; Field hi: has the @lambda directive, but the --graphql "lambda-url=...;" flag wasn't specified during alpha startup.`,
    );
  });

  it("is refused for @lambda beside @lambda", async () => {
    await expect(deploy("type T { id: ID! a: String b: String @lambda @lambda }", { functions: { "T.b": () => [] } })).rejects.toThrow("T");
  });

  it("needs nothing of a schema without the directives", async () => {
    const api = await deploy("type T { a: String }", {});
    expect(api.kernel.deployment?.hooks.some(({ plugin }) => plugin === "lambda")).toBe(false);
    expect(api.kernel.deployment?.layout.types.map(({ name }) => name)).toEqual(["T"]);
  });
});
