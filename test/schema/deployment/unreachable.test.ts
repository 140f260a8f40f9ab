// Nothing leaves sight unsaid: types, fields, and links from whichever side they were seen.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Unreachable, unreachableText } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let at: TemporaryKernel;
beforeEach(async () => {
  at = await temporaryKernel();
});
afterEach(() => at.remove());

/** What leaves sight when `after` takes the place of `before` over the nodes that `mutation` makes. */
async function lost(before: string, mutation: string, after: string): Promise<readonly string[]> {
  const { kernel } = at;
  await kernel.deploy(before);
  const answer = JSON.parse((await kernel.execute({ query: `mutation { ${mutation} }` })).body);
  expect(answer.errors).toBeUndefined();
  const { unreachable } = await kernel.compare(after);
  const reported: Unreachable[] = [];
  await kernel.deploy(after, { onUnreachable: (each) => reported.push(each) });
  expect(reported).toEqual(unreachable);
  return reported.map(unreachableText);
}

describe("a deploy tells that", () => {
  it("a field is gone, and how many nodes hold it", async () => {
    expect(
      await lost(
        "type Boat { name: String  seats: Int }",
        'addBoat(input: [{ name: "a", seats: 1 }, { name: "b" }]) { numUids }',
        "type Boat { name: String }",
      ),
    ).toEqual(["Boat.seats is no longer in the schema; values of 1 node are hidden, not deleted."]);
  });

  it("nothing is lost where nothing was kept", async () => {
    expect(await lost("type Boat { name: String  seats: Int }", 'addBoat(input: [{ name: "a" }]) { numUids }', "type Boat { name: String }")).toEqual(
      [],
    );
  });

  it("a field of an interface is gone for all its types", async () => {
    expect(
      await lost(
        "interface Vessel { name: String  seats: Int } type Boat implements Vessel { oars: Int } type Ship implements Vessel { funnels: Int }",
        'addBoat(input: [{ name: "a", seats: 1 }]) { numUids } addShip(input: [{ seats: 9 }]) { numUids }',
        "interface Vessel { name: String } type Boat implements Vessel { oars: Int } type Ship implements Vessel { funnels: Int }",
      ),
    ).toEqual(["Vessel.seats is no longer in the schema; values of 2 nodes are hidden, not deleted."]);
  });

  it("a type no longer implements an interface, whose fields had its data", async () => {
    expect(
      await lost(
        "interface Vessel { name: String } type Boat implements Vessel { oars: Int } type Ship implements Vessel { funnels: Int }",
        'addBoat(input: [{ name: "a" }]) { numUids } addShip(input: [{ name: "b" }]) { numUids }',
        "interface Vessel { name: String } type Boat { name: String  oars: Int } type Ship implements Vessel { funnels: Int }",
      ),
    ).toEqual(["Vessel.name is no longer in the schema; values of 1 node are hidden, not deleted."]);
  });

  it("a name in storage is another", async () => {
    expect(
      await lost('type Boat { name: String @storage(pred: "n") }', 'addBoat(input: [{ name: "a" }]) { numUids }', "type Boat { name: String }"),
    ).toEqual(["Boat.name (stored as n) is no longer in the schema; values of 1 node are hidden, not deleted."]);
  });

  const fleet = "type Boat { name: String  owner: Person } type Person { name: String  boats: [Boat] @hasInverse(field: owner) }";
  const add = 'addBoat(input: [{ name: "a", owner: { name: "Ada" } }]) { numUids }';

  it("links are gone from both sides, but not while one still shows them", async () => {
    expect(await lost(fleet, add, "type Boat { name: String  owner: Person } type Person { name: String }")).toEqual([]);
    expect(await lost(fleet, add, "type Boat { name: String } type Person { name: String }")).toEqual([
      "Boat.owner no longer shows what it did; links of 2 nodes are hidden, not deleted.",
    ]);
  });

  it("links lead to nodes of a type that the field no longer leads to", async () => {
    expect(
      await lost(
        "type Boat { name: String  owner: Person } type Person { name: String } type Club { name: String }",
        add,
        "type Boat { name: String  owner: Club } type Person { name: String } type Club { name: String }",
      ),
    ).toEqual(["Boat.owner no longer shows what it did; links of 1 node are hidden, not deleted."]);
  });

  it("a member of a union is gone from it", async () => {
    expect(
      await lost(
        "union Owner = Person | Club type Person { name: String } type Club { name: String } type Boat { name: String  owner: Owner }",
        'addBoat(input: [{ owner: { personRef: { name: "Ada" } } }, { owner: { clubRef: { name: "Kiel" } } }, { owner: { clubRef: { name: "Ulm" } } }]) { numUids }',
        "union Owner = Person type Person { name: String } type Club { name: String } type Boat { name: String  owner: Owner }",
      ),
    ).toEqual(["Boat.owner no longer shows what it did; links of 2 nodes are hidden, not deleted."]);
  });

  it("a type is gone, once, not each of its fields", async () => {
    expect(await lost(fleet, add, "type Person { name: String }")).toEqual([
      "Boat is no longer in the schema; 1 node is hidden, not deleted.",
      "Person.boats no longer shows what it did; links of 1 node are hidden, not deleted.",
    ]);
  });
});
