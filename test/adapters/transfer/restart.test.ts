// An import that was interrupted goes on where it stopped, and writes nothing twice.

import { readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { ask, load, temporaryFolder, writeGroup } from "./small-exports.ts";

const schema = "type A { id: ID!  n: Int @search  next: A @hasInverse(field: before)  before: [A] }";
const count = 2_500;
const hex = (n: number) => `0x${n.toString(16)}`;
const rdf = Array.from({ length: count }, (_, i) => i + 1)
  .flatMap((n) => [`<${hex(n)}> <dgraph.type> "A"`, `<${hex(n)}> <A.n> "${n}"`, ...(n > 1 ? [`<${hex(n)}> <A.next> <${hex(n - 1)}>`] : [])])
  .join("\n");

/** Fails transaction number `at`, once; a load of links counts as one. */
function failing({ kernel }: TemporaryKernel, at: number): void {
  const { storage } = kernel;
  const transact = storage.transact.bind(storage);
  const loadLinks = storage.loadLinks?.bind(storage);
  let seen = 0;
  const count = () => {
    seen += 1;
    if (seen === at) throw new Error("the power is off");
  };
  storage.transact = (work, options) => {
    count();
    return transact(work, options);
  };
  if (loadLinks === undefined) return;
  storage.loadLinks = (load) => {
    count();
    return loadLinks(load);
  };
}

describe("an interrupted import", () => {
  it.each([2, 3, 4, 5, 6, 7])("goes on after a failure of transaction %i", async (at) => {
    const stack = await temporaryKernel();
    onTestFinished(() => stack.remove());
    const folder = temporaryFolder();
    writeGroup(folder, { schema, rdf });
    const scratch = join(temporaryFolder(), "scratch");
    await mkdir(scratch);
    await stack.kernel.deploy(schema);
    failing(stack, at);
    await expect(load(stack, folder, { scratch })).rejects.toThrow("the power is off");
    const outcome = await load(stack, folder, { scratch });
    expect(outcome.written).toBe(true);
    expect(outcome.stored).toEqual({ A: count });
    expect(await ask(stack, "{ aggregateA { count nSum } queryA(filter: { n: { eq: 2499 } }) { id next { n } before { n } } }")).toEqual({
      aggregateA: { count, nSum: (count * (count + 1)) / 2 },
      queryA: [{ id: hex(2499), next: { n: 2498 }, before: [{ n: 2500 }] }],
    });
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });

  it("needs no scratch files of the first run", async () => {
    const stack = await temporaryKernel();
    onTestFinished(() => stack.remove());
    const folder = temporaryFolder();
    writeGroup(folder, { schema, rdf });
    await stack.kernel.deploy(schema);
    failing(stack, 4);
    await expect(load(stack, folder)).rejects.toThrow("the power is off");
    expect((await load(stack, folder)).stored).toEqual({ A: count });
  });

  it("keeps others out until it is finished, and is not loaded twice", async () => {
    const stack = await temporaryKernel();
    onTestFinished(() => stack.remove());
    const [folder, other] = [temporaryFolder(), temporaryFolder()];
    writeGroup(folder, { schema, rdf });
    writeGroup(other, { schema, rdf: '<0xffff> <dgraph.type> "A"' });
    await stack.kernel.deploy(schema);
    failing(stack, 4);
    await expect(load(stack, folder)).rejects.toThrow("the power is off");
    await expect(load(stack, other)).rejects.toThrow("The store holds a part of another import");
    await load(stack, folder);
    expect((await load(stack, folder)).written).toBe(false);
    await load(stack, other);
    expect(await ask(stack, "{ aggregateA { count } }")).toEqual({ aggregateA: { count: count + 1 } });
  });

  it("leaves scratch files that hold no runs", async () => {
    const stack = await temporaryKernel();
    onTestFinished(() => stack.remove());
    const folder = temporaryFolder();
    writeGroup(folder, { schema, rdf });
    const scratch = join(temporaryFolder(), "scratch");
    await load(stack, folder, { scratch });
    expect(readdirSync(scratch).sort()).toEqual(["analysis.json", "links.lines", "lost-keys.lines", "nodes.lines"]);
  });
});
