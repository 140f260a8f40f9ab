// Faults that the attacks found, each reduced to its smallest case.

import { describe, expect, it, onTestFinished } from "vitest";
import type { Kernel } from "../../core/index.ts";
import { temporaryKernel } from "../support/kernel.ts";

interface Server {
  readonly kernel: Kernel;
  deploy(schema: string): Promise<void>;
  /** The answer without `extensions`. */
  ask(query: string): Promise<unknown>;
}

async function serve(schema: string): Promise<Server> {
  const stack = await temporaryKernel();
  const { kernel } = stack;
  onTestFinished(async () => {
    const { faults } = await kernel.storage.verify();
    await stack.remove();
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

describe("a link to a node whose type was removed from the schema", () => {
  const shapes = (type: string, { many }: { many: boolean }) => `
    interface Berth { id: ID!  number: Int  ${many ? "" : "boats: [Boat] @hasInverse(field: at)"} }
    type Dock implements Berth { id: ID!  spot: Int }
    type ${type} implements Berth { id: ID!  depth: Int }
    type Boat { name: String! @id  at: ${many ? "[Berth]" : "Berth"} }`;

  it("stays hidden when the end is rebuilt, instead of appearing as null", async () => {
    const { deploy, ask } = await serve(shapes("Buoy", { many: false }));
    await ask(`mutation { addBuoy(input: [{ depth: 3, boats: { name: "Heron" } }]) { numUids } }`);
    expect(await ask("{ queryBoat { at { __typename } } }")).toEqual({ data: { queryBoat: [{ at: { __typename: "Buoy" } }] } });
    await deploy(shapes("Mooring", { many: true }));
    expect(await ask("{ queryBoat { at { __typename } atAggregate { count } } }")).toEqual({
      data: { queryBoat: [{ at: [], atAggregate: { count: 0 } }] },
    });
  });
});

describe("a single link to an object whose type no longer implements the interface", () => {
  const shapes = (implementing: string) => `
    interface Berth { id: ID!  number: Int }
    type Dock implements Berth { id: ID!  spot: Int }
    type Buoy ${implementing} { id: ID!  depth: Int }
    type Boat { name: String! @id  at: Berth }`;

  it("is replaced by the next link, and does not return with the type", async () => {
    const { deploy, ask } = await serve(shapes("implements Berth"));
    await ask("mutation { addBuoy(input: [{ depth: 3 }]) { numUids } addDock(input: [{ spot: 1 }]) { numUids } }");
    await ask('mutation { addBoat(input: [{ name: "Heron", at: { id: "0x1" } }]) { numUids } }');
    await deploy(shapes(""));
    expect(await ask("{ queryBoat { at { __typename } } }")).toEqual({ data: { queryBoat: [{ at: null }] } });
    await ask('mutation { updateBoat(input: { filter: {}, set: { at: { id: "0x2" } } }) { numUids } }');
    await deploy(shapes("implements Berth"));
    expect(await ask("{ queryBoat { at { __typename } } }")).toEqual({ data: { queryBoat: [{ at: { __typename: "Dock" } }] } });
  });
});

describe("a link whose type left its interface, lost its inverse, and returned", () => {
  const shapes = ({ implementing, single, inverse }: { implementing: string; single: string; inverse: string }) => `
    interface Berth { id: ID!  number: Int  ${single} }
    type Dock ${implementing} { id: ID!  spot: Int }
    type Boat { name: String! @id  ${inverse} }`;

  it("is visible again from both sides", async () => {
    const paired = { single: "boat: Boat @hasInverse(field: at)", inverse: "at: [Berth]" };
    const { deploy, ask } = await serve(shapes({ ...paired, implementing: "implements Berth" }));
    await ask('mutation { addDock(input: [{ spot: 1, boat: { name: "Heron" } }]) { numUids } }');
    await deploy(shapes({ ...paired, implementing: "" }));
    await deploy(shapes({ single: "boat: Boat", inverse: "", implementing: "" }));
    await deploy(shapes({ ...paired, implementing: "implements Berth" }));
    expect(await ask("{ queryDock { boat { name at { id } } } }")).toEqual({
      data: { queryDock: [{ boat: { name: "Heron", at: [{ id: "0x1" }] } }] },
    });
  });
});

describe("a single field that shows one of the types that lead to its object", () => {
  it("removes no link of another type when it is set", async () => {
    const { ask } = await serve(`
      interface Vessel { id: ID!  owners: [Owner] }
      type Ketch implements Vessel { sails: Int }
      type Yawl implements Vessel { oars: Int }
      type Owner { name: String! @id  ketch: Ketch @hasInverse(field: owners) }`);
    await ask(
      'mutation { addYawl(input: [{ owners: [{ name: "Ada" }] }]) { numUids } addKetch(input: [{ owners: [{ name: "Ada" }] }]) { numUids } }',
    );
    await ask('mutation { addKetch(input: [{ owners: [{ name: "Ada" }] }]) { numUids } }');
    expect(await ask("{ queryVessel { __typename owners { name ketch { id } } } }")).toEqual({
      data: {
        queryVessel: [
          { __typename: "Yawl", owners: [{ name: "Ada", ketch: { id: "0x4" } }] },
          { __typename: "Ketch", owners: [] },
          { __typename: "Ketch", owners: [{ name: "Ada", ketch: { id: "0x4" } }] },
        ],
      },
    });
  });
});

describe("a field of one of several sides", () => {
  const shapes = (inverse: string) => `
    interface Vessel { id: ID!  owners: [Owner] }
    type Ketch implements Vessel { sails: Int }
    type Yawl implements Vessel { oars: Int }
    type Owner { name: String! @id  ketches: [Ketch] ${inverse} }`;
  const joined = shapes("@hasInverse(field: owners)");

  it("removes no links of another type when it is erased", async () => {
    const { kernel, ask } = await serve(joined);
    await ask(
      'mutation { addYawl(input: [{ owners: [{ name: "Ada" }] }]) { numUids } addKetch(input: [{ owners: [{ name: "Ada" }] }]) { numUids } }',
    );
    await kernel.erase({ kind: "field", name: "Owner.ketches" });
    expect(await ask("{ queryVessel { __typename owners { name } } }")).toEqual({
      data: {
        queryVessel: [
          { __typename: "Yawl", owners: [{ name: "Ada" }] },
          { __typename: "Ketch", owners: [] },
        ],
      },
    });
  });

  it("does not restore a link of another type that was removed while the fields were separate", async () => {
    const { deploy, ask } = await serve(joined);
    await ask('mutation { addYawl(input: [{ owners: [{ name: "Ada" }] }]) { numUids } }');
    await deploy(shapes(""));
    await ask("mutation { updateYawl(input: { filter: {}, remove: { owners: null } }) { numUids } }");
    await deploy(joined);
    expect(await ask("{ queryYawl { owners { name } } }")).toEqual({ data: { queryYawl: [{ owners: [] }] } });
  });
});

describe("links of an interface without implementing types", () => {
  const shapes = (implementing: string, crew: string) =>
    `interface Vessel { id: ID!  crew: ${crew} }  type Ketch ${implementing} { name: String! @id }  type Sailor { name: String! @id }`;
  const [shown, hidden, single] = [shapes("implements Vessel", "[Sailor]"), shapes("", "[Sailor]"), shapes("implements Vessel", "Sailor")];
  const ketch = (...crew: readonly string[]) =>
    `mutation { addKetch(input: { name: "Argo", crew: [${crew.map((name) => `{ name: "${name}" }`)}] }) { numUids } }`;

  it("make a deploy fail if a single end would show several of them", async () => {
    const { deploy, ask } = await serve(shown);
    await ask(ketch("Ada", "Bo"));
    await deploy(hidden);
    await expect(deploy(single)).rejects.toMatchObject({ code: "MIGRATION_REFUSED", message: expect.stringContaining("Vessel.crew") });
    await deploy(shown);
    expect(await ask("{ queryKetch { crew { name } } }")).toEqual({ data: { queryKetch: [{ crew: [{ name: "Ada" }, { name: "Bo" }] }] } });
  });

  it("are visible through a single end if there is only one", async () => {
    const { deploy, ask } = await serve(shown);
    await ask(ketch("Ada"));
    await deploy(hidden);
    await deploy(single);
    expect(await ask("{ queryKetch { crew { name } } }")).toEqual({ data: { queryKetch: [{ crew: { name: "Ada" } }] } });
  });
});

describe("a value under a name that several types share", () => {
  it("is erased with its index entries, also for a type that the schema no longer declares", async () => {
    const both = `
      type Ketch { id: ID!  length: Float @search @dgraph(pred: "length") }
      type Quay { id: ID!  metres: Float @search @dgraph(pred: "length") }`;
    const { kernel, deploy, ask } = await serve(both);
    await ask("mutation { addKetch(input: [{ length: 11.5 }]) { numUids } addQuay(input: [{ metres: 60 }]) { numUids } }");
    await deploy('type Ketch { id: ID!  length: Float @search @dgraph(pred: "length") }');
    await kernel.erase({ kind: "field", name: "length" });
    await deploy(both);
    expect(await ask("{ queryKetch { length } queryQuay { metres } long: queryQuay(filter: { metres: { gt: 0 } }) { metres } }")).toEqual({
      data: { queryKetch: [{ length: null }], queryQuay: [{ metres: null }], long: [] },
    });
  });
});

describe("the check of a store", () => {
  it("tokenizes a long text once, not once per term", async () => {
    const { kernel, ask } = await serve("type Post { text: String @search(by: [trigram]) }");
    const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const text = Array.from({ length: 60_000 }, (_, i) => letters[(i * i * 31 + i * 7 + Math.floor(i / 62) * 13) % 62]).join("");
    await ask(`mutation { addPost(input: [{ text: "${text}" }]) { numUids } }`);
    expect((await kernel.storage.verify()).faults).toEqual([]);
  });
});
