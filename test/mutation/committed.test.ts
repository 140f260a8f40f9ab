// Mutations that are committed although their payload cannot be sent: the answer says so.

import { expect, it, onTestFinished } from "vitest";
import { createKernel, type KernelConfig, type LogEntry } from "../../core/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { newPlace } from "../support/storage.ts";

async function openKernel(more: Omit<KernelConfig, "storage">) {
  const place = await newPlace();
  const kernel = createKernel({ storage: place.storage(), log: { level: "silent" }, ...more });
  onTestFinished(async () => {
    await kernel.close();
    await place.remove();
  });
  await kernel.open();
  await kernel.deploy("type Parcel { id: ID! label: String! }");
  return async (query: string) => JSON.parse((await kernel.execute({ query })).body);
}

const two = `mutation { a: addParcel(input: [{ label: "${"x".repeat(3000)}" }]) { parcel { label } numUids } b: addParcel(input: [{ label: "b" }]) { numUids } }`;
const committed = { a: { parcel: null, numUids: 1 }, b: { numUids: 1 } };

it("a payload over a limit: the error is COMMITTED, and what is known is there; the next mutation is refused before it writes", async () => {
  const answer = await openKernel({ limits: { maxAnswerBytes: 2000 } });
  const { data, errors } = await answer(two);
  expect(data).toEqual({ ...committed, b: null });
  expect(errors).toEqual([
    { message: expect.stringContaining("maxAnswerBytes"), path: ["a", "parcel"], extensions: { code: "COMMITTED", retryable: false } },
    { message: expect.stringContaining("maxAnswerBytes"), path: ["b"], extensions: { code: "LIMIT_REACHED", retryable: false } },
  ]);
  expect((await answer("{ aggregateParcel { count } }")).data).toEqual({ aggregateParcel: { count: 1 } });
});

const broken: DirectivePlugin = {
  name: "broken",
  definitions: "",
  model: () => ({
    narrow: (_type, purpose) => {
      if (purpose === "query") throw new TypeError("the words of the fault");
      return undefined;
    },
  }),
};

it("a fault of the server while it reads the payload is logged, and its text is not shown", async () => {
  const logged: LogEntry[] = [];
  const answer = await openKernel({ plugins: [broken], log: { level: "error", to: { write: (entry) => void logged.push(entry) } } });
  const { data, errors } = await answer(two);
  expect(data).toEqual(committed);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ path: ["a", "parcel"], extensions: { code: "COMMITTED" } });
  expect(JSON.stringify(errors)).not.toContain("the words of the fault");
  expect(logged.map((entry) => JSON.stringify(entry)).join("\n")).toContain("the words of the fault");
});
