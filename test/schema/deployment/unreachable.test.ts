// A deploy reports the data that it hides: types, fields, and links from either side.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Unreachable } from "../../../core/index.ts";
import { unreachableText } from "../../../core/server.ts";
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

describe("a deploy", () => {
  it("reports a removed field and the number of nodes with a value", async () => {
    expect(
      await lost(
        "type Boat { name: String  seats: Int }",
        'addBoat(input: [{ name: "a", seats: 1 }, { name: "b" }]) { numUids }',
        "type Boat { name: String }",
      ),
    ).toEqual(["Boat.seats is no longer in the schema; values of 1 node are hidden, not deleted."]);
  });

  it("reports nothing if the removed field has no values", async () => {
    expect(await lost("type Boat { name: String  seats: Int }", 'addBoat(input: [{ name: "a" }]) { numUids }', "type Boat { name: String }")).toEqual(
      [],
    );
  });

  it("reports a removed field of an interface, for all its types", async () => {
    expect(
      await lost(
        "interface Vessel { name: String  seats: Int } type Boat implements Vessel { oars: Int } type Ship implements Vessel { funnels: Int }",
        'addBoat(input: [{ name: "a", seats: 1 }]) { numUids } addShip(input: [{ seats: 9 }]) { numUids }',
        "interface Vessel { name: String } type Boat implements Vessel { oars: Int } type Ship implements Vessel { funnels: Int }",
      ),
    ).toEqual(["Vessel.seats is no longer in the schema; values of 2 nodes are hidden, not deleted."]);
  });

  it("reports the interface fields of a type that no longer implements the interface", async () => {
    expect(
      await lost(
        "interface Vessel { name: String } type Boat implements Vessel { oars: Int } type Ship implements Vessel { funnels: Int }",
        'addBoat(input: [{ name: "a" }]) { numUids } addShip(input: [{ name: "b" }]) { numUids }',
        "interface Vessel { name: String } type Boat { name: String  oars: Int } type Ship implements Vessel { funnels: Int }",
      ),
    ).toEqual(["Vessel.name is no longer in the schema; values of 1 node are hidden, not deleted."]);
  });

  it("reports a field with a changed stored name", async () => {
    expect(
      await lost('type Boat { name: String @storage(pred: "n") }', 'addBoat(input: [{ name: "a" }]) { numUids }', "type Boat { name: String }"),
    ).toEqual(["Boat.name (stored as n) is no longer in the schema; values of 1 node are hidden, not deleted."]);
  });

  const fleet = "type Boat { name: String  owner: Person } type Person { name: String  boats: [Boat] @hasInverse(field: owner) }";
  const add = 'addBoat(input: [{ name: "a", owner: { name: "Ada" } }]) { numUids }';

  it("reports links that are removed on both sides, but not on one side", async () => {
    expect(await lost(fleet, add, "type Boat { name: String  owner: Person } type Person { name: String }")).toEqual([]);
    expect(await lost(fleet, add, "type Boat { name: String } type Person { name: String }")).toEqual([
      "Boat.owner no longer shows what it did; links of 2 nodes are hidden, not deleted.",
    ]);
  });

  it("reports links to a type that the field no longer targets", async () => {
    expect(
      await lost(
        "type Boat { name: String  owner: Person } type Person { name: String } type Club { name: String }",
        add,
        "type Boat { name: String  owner: Club } type Person { name: String } type Club { name: String }",
      ),
    ).toEqual(["Boat.owner no longer shows what it did; links of 1 node are hidden, not deleted."]);
  });

  it("reports links to a type removed from a union", async () => {
    expect(
      await lost(
        "union Owner = Person | Club type Person { name: String } type Club { name: String } type Boat { name: String  owner: Owner }",
        'addBoat(input: [{ owner: { personRef: { name: "Ada" } } }, { owner: { clubRef: { name: "Kiel" } } }, { owner: { clubRef: { name: "Ulm" } } }]) { numUids }',
        "union Owner = Person type Person { name: String } type Club { name: String } type Boat { name: String  owner: Owner }",
      ),
    ).toEqual(["Boat.owner no longer shows what it did; links of 2 nodes are hidden, not deleted."]);
  });

  it("reports a removed type once, without its fields", async () => {
    expect(await lost(fleet, add, "type Person { name: String }")).toEqual([
      "Boat is no longer in the schema; 1 node is hidden, not deleted.",
      "Person.boats no longer shows what it did; links of 1 node are hidden, not deleted.",
    ]);
  });
});
