// In development, hooks get arguments that are frozen as deep as they are plain data. Data that belong to the application stay its own.

import { describe, expect, it } from "vitest";
import { createKernel } from "../../../core/index.ts";
import { type DirectivePlugin, type Hooks, withFrozenArguments } from "../../../core/plugin.ts";
import { memoryStorage } from "../../../examples/memory-store/memory-store.ts";

const asked = (hooks: Hooks, name: keyof Hooks, ...args: readonly unknown[]): unknown =>
  Reflect.apply(withFrozenArguments(hooks)[name] as CallableFunction, undefined, args);

describe("an argument", () => {
  it("is frozen as deep as it is plain data", () => {
    const context = { nodes: [{ uid: 1 }], mutation: { arguments: { input: [{ name: "a" }] } }, values: new Map([["tags", ["a"]]]) };
    asked({ check: () => undefined }, "check", context);
    expect(() => context.nodes.push({ uid: 2 })).toThrow(TypeError);
    expect(() => Object.assign(context.mutation.arguments.input[0] ?? {}, { name: "b" })).toThrow(TypeError);
    expect(() => context.values.set("more", [])).toThrow("An argument of a hook cannot be changed");
    expect(() => context.values.get("tags")?.push("b")).toThrow(TypeError);
  });

  it("is left alone where it does something, or belongs to a class: a view of the store has a state", () => {
    class View {
      reads = 0;
    }
    const context = { view: new View(), transaction: { reads: 0, find: () => 1 }, bytes: new Float32Array([1]) };
    asked({ check: () => undefined }, "check", context);
    context.view.reads++;
    context.transaction.reads++;
    context.bytes[0] = 2;
    expect([context.view.reads, context.transaction.reads, context.bytes[0]]).toEqual([1, 1, 2]);
  });

  it("that the application has given stays its own", () => {
    const headers: Record<string, string> = { a: "1" };
    const sent = { input: { name: "a" } };
    asked({ admit: () => undefined }, "admit", headers);
    asked({ check: () => undefined }, "check", { sent, variables: sent });
    headers.b = "2";
    sent.input.name = "b";
    expect([headers, sent]).toEqual([{ a: "1", b: "2" }, { input: { name: "b" } }]);
  });

  it("is not read: a getter is not called", () => {
    const context = Object.defineProperty({}, "sent", { enumerable: true, get: () => expect.fail("it was read") });
    asked({ check: () => undefined }, "check", context);
  });
});

describe("a hook", () => {
  it("keeps its this, its result and its errors", () => {
    class Counting implements Hooks {
      count = 0;
      readonly caller = () => String(++this.count);
      admit(): void {
        throw new Error(`admitted ${++this.count}`);
      }
    }
    const hooks = new Counting();
    expect(asked(hooks, "caller", {})).toBe("1");
    expect(() => asked({ admit: hooks.admit.bind(hooks) }, "admit", {})).toThrow("admitted 2");
  });

  it("is also one in the lists of hooks and additions", () => {
    const given: unknown[] = [];
    const keep = (argument: unknown) => ({ json: given.push(argument) });
    const hooks = withFrozenArguments({
      background: [{ name: "a", runs: "once", run: (context) => void keep(context) }],
      api: () => ({ roots: [{ operation: "query", signature: "a: Int", run: keep }] }),
    });
    hooks.background?.[0]?.run({ a: [1] } as never);
    hooks.api?.().roots?.[0]?.run({ arguments: { b: [1] } } as never);
    expect(given.map((each) => Object.isFrozen(each))).toEqual([true, true]);
    expect(Object.isFrozen((given[1] as { arguments: { b: unknown } }).arguments.b)).toBe(true);
  });
});

describe("a kernel", () => {
  const changing: DirectivePlugin = {
    name: "stranger",
    definitions: "",
    model: () => ({ check: ({ mutation }) => void Object.assign(mutation, { field: "mine" }) }),
  };

  async function answer(debug: boolean, env: string): Promise<string> {
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = env;
    const kernel = createKernel({ storage: memoryStorage(), plugins: [changing], debug, log: { level: "silent" } });
    process.env.NODE_ENV = before;
    await kernel.open();
    await kernel.deploy("type Boat { name: String }");
    const { body } = await kernel.execute({ query: 'mutation { addBoat(input: [{ name: "a" }]) { numUids } }' });
    await kernel.close();
    return body.includes("Internal error") ? "fails" : "works";
  }

  it.each([
    [true, "production", "fails"],
    [false, "development", "fails"],
    [false, "test", "fails"],
    [false, "production", "works"],
  ])("with debug %s and NODE_ENV %s serves a hook that changes its arguments so that it %s", async (debug, env, outcome) => {
    expect(await answer(debug, env)).toBe(outcome);
  });
});
