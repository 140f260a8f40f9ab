// What the attacks found, each as small as it can be told.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";

interface Server {
  readonly kernel: Kernel;
  deploy(schema: string): Promise<void>;
  /** The answer without `extensions`. */
  ask(query: string): Promise<unknown>;
}

async function serve(schema: string): Promise<Server> {
  const path = await mkdtemp(join(tmpdir(), "quern-found-"));
  const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  onTestFinished(async () => {
    const { faults } = await kernel.storage.verify();
    await kernel.close();
    await rm(path, { recursive: true, force: true });
    expect(faults).toEqual([]);
  });
  await kernel.deploy(schema);
  return {
    kernel,
    deploy: (text) => kernel.deploy(text),
    async ask(query) {
      const { extensions: _, ...answer } = JSON.parse((await kernel.execute({ query })).body);
      return answer;
    },
  };
}

describe("a link to a node of a type that left the schema", () => {
  const shapes = (type: string, { many }: { many: boolean }) => `
    interface Berth { id: ID!  number: Int  ${many ? "" : "boats: [Boat] @hasInverse(field: at)"} }
    type Dock implements Berth { id: ID!  spot: Int }
    type ${type} implements Berth { id: ID!  depth: Int }
    type Boat { name: String! @id  at: ${many ? "[Berth]" : "Berth"} }`;

  it("stays hidden when the end is built anew, not shown as null", async () => {
    const { deploy, ask } = await serve(shapes("Buoy", { many: false }));
    await ask(`mutation { addBuoy(input: [{ depth: 3, boats: { name: "Heron" } }]) { numUids } }`);
    expect(await ask("{ queryBoat { at { __typename } } }")).toEqual({ data: { queryBoat: [{ at: { __typename: "Buoy" } }] } });
    await deploy(shapes("Mooring", { many: true }));
    expect(await ask("{ queryBoat { at { __typename } atAggregate { count } } }")).toEqual({
      data: { queryBoat: [{ at: [], atAggregate: { count: 0 } }] },
    });
  });
});
