// What a component beside the kernel hears of ended operations (`KernelObserver.ended`).

import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { EndedOperation } from "../../core/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel({ plugins: [identityPlugin()], log: { level: "silent" } });
  const { remove } = stack;
  onTestFinished(() => remove());
  await stack.kernel.deploy("type Weir { name: String! @id }");
});

/** What an observer hears of requests with these documents, one after the other. */
async function heard(...documents: readonly string[]): Promise<readonly EndedOperation[]> {
  const ended: EndedOperation[] = [];
  const stop = stack.kernel.observe({ ended: (operation) => void ended.push(operation) });
  for (const query of documents) await stack.kernel.execute({ query });
  stop();
  return ended;
}

it("times the steps of operations while an observer asks for it, and tells for whom each counts", async () => {
  const [plain] = await heard("{ queryWeir { name } }");
  expect([plain?.steps, plain?.caller]).toEqual([undefined, undefined]);
  const ended: EndedOperation[] = [];
  const stop = stack.kernel.observe({ timesSteps: true, ended: (operation) => void ended.push(operation) });
  await stack.kernel.execute({ query: "{ queryWeir { name } }", caller: { kind: "key", name: "mobile" } });
  await stack.kernel.execute({ query: "{ queryWare { name } }", claims: { sub: "ada" } });
  stop();
  expect(ended.map(({ caller }) => caller)).toEqual(["key mobile", "user ada"]);
  const [read, refused] = ended.map(({ steps }) => steps);
  expect([Number(read?.ranMs) > 0, refused?.ranMs]).toEqual([true, 0]);
  expect(Math.min(...ended.map(({ steps }) => Number(steps?.preparedMs)))).toBeGreaterThan(0);
});

it("tells kind, name, outcome and plan of each operation, and no code where all went well", async () => {
  const [added, read] = await heard('mutation { addWeir(input: [{ name: "upper" }]) { numUids } }', "query all { queryWeir { name } }");
  expect(added).toMatchObject({ kind: "mutation", name: undefined, outcome: "ok", code: undefined });
  expect(read).toMatchObject({
    kind: "query",
    name: "all",
    outcome: "ok",
    code: undefined,
    touched: 1,
    document: "query all { queryWeir { name } }",
  });
  expect(read?.plan).toContain("Weir");
});

it("tells the code of an error that has one, and the outcome where it has none", async () => {
  stack.kernel.setDraining(true);
  const [draining] = await heard("{ queryWeir { name } }");
  stack.kernel.setDraining(false);
  const [invalid] = await heard("{ queryWeir { depth } }");
  expect(draining?.outcome).not.toBe("ok");
  expect([invalid?.outcome, invalid?.code, invalid?.prepared]).toEqual(["refused", "refused", undefined]);
  const [unknown] = await heard("query a { queryWeir { name } } query b { queryWeir { name } }");
  expect([unknown?.outcome, unknown?.code]).toEqual(["refused", "REQUEST_INVALID"]);
});

it("gives the runs of one document the same object, and those of another document another one", async () => {
  const [first, second, other] = await heard("{ queryWeir { name } }", "{ queryWeir { name } }", "{ queryWeir { __typename } }");
  expect(first?.prepared).toBeDefined();
  expect(second?.prepared).toBe(first?.prepared);
  expect(other?.prepared).not.toBe(first?.prepared);
});

it("fails no request when an observer throws, and calls the next one", async () => {
  const { kernel } = stack;
  const stop = kernel.observe({
    ended: () => {
      throw new Error("the observer is broken");
    },
  });
  onTestFinished(stop);
  const ended: EndedOperation[] = [];
  onTestFinished(kernel.observe({ ended: (operation) => void ended.push(operation) }));
  const { body } = await kernel.execute({ query: "{ queryWeir { name } }" });
  expect(JSON.parse(body).data).toEqual({ queryWeir: [] });
  expect(ended).toHaveLength(1);
});

it("reports nothing more after the observer was unregistered", async () => {
  const ended: EndedOperation[] = [];
  const stop = stack.kernel.observe({ ended: (operation) => void ended.push(operation) });
  stop();
  await stack.kernel.execute({ query: "{ queryWeir { name } }" });
  expect(ended).toEqual([]);
});
