// Metadata that a hook stores belong to its commit, on every storage.

import { expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { temporaryKernel } from "../../support/kernel.ts";

const countPlugin: DirectivePlugin = {
  name: "count",
  definitions: "",
  model: () => ({
    changes: async ({ transaction }) => {
      await transaction.setMeta("count.adds", Number((await transaction.meta("count.adds")) ?? 0) + 1);
      return undefined;
    },
  }),
};

it("counts each of many mutations at the same time, and runs those again that conflict", async () => {
  const { kernel, remove } = await temporaryKernel({ plugins: [...standardPlugins(), countPlugin] });
  onTestFinished(remove);
  await kernel.deploy("type Boat { name: String }");
  const query = 'mutation { addBoat(input: [{ name: "Ada" }]) { numUids } }';
  const answers = await Promise.all(Array.from({ length: 8 }, () => kernel.execute({ query, headers: {} })));
  expect(answers.filter(({ body }) => String(body).includes("errors"))).toEqual([]);
  const snapshot = kernel.storage.snapshot({ version: kernel.stored?.version ?? 0 });
  expect(await snapshot.meta("count.adds")).toBe(8);
  snapshot.close();
});
