// Sums in DQL: integers have 64 bits there, whatever the schema says.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack("type Log { day: String! @id  small: Int  big: Int64  rate: Float }");
  await dql.run(`mutation { addLog(input: [
    { day: "a", small: 2147483647, big: 9223372036854775807, rate: 1.7e308 }
    { day: "b", small: 2, big: 1, rate: 1.7e308 }
  ]) { numUids } }`);
});
afterAll(() => dql?.stack.remove());

it("sums hold integers beyond 32 bits, and have no value beyond 64 bits or beyond the floats", async () => {
  const sum = (field: string) => dql.ask(`{ var(func: type(Log)) { v as Log.${field} } q() { s: sum(val(v)) } }`);
  expect(await sum("small")).toEqual({ q: [{ s: 2147483649 }] });
  expect(await sum("big")).toEqual({ q: [{ s: null }] });
  expect(await sum("rate")).toEqual({ q: [{ s: null }] });
  expect(await dql.ask("{ var(func: type(Log)) { v as Log.rate } q() { a: avg(val(v)) m: max(val(v)) } }")).toEqual({
    q: [{ a: null }, { m: 1.7e308 }],
  });
});
