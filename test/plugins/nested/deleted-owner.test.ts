// What a step of an update deletes may take along the node from which it was reached (`@onDelete`): the steps after it find nothing there to link to.

import { afterEach, expect, it } from "vitest";
import { parseJson } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

const schema = `
  type Team @nested @groupBy(fields: ["code"]) { code: String! @id  players: [Player] @hasInverse(field: team)  fans: [Player] }
  type Player @nested @groupBy(fields: ["team"]) { code: String! @id  out: Boolean @search  team: Team @onDelete(linked: DELETE) }`;

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

async function league() {
  stack = await temporaryKernel();
  const { kernel } = stack;
  await kernel.deploy(schema);
  const ask = async (query: string) => Object(parseJson((await kernel.execute({ query })).body));
  await ask(`mutation { addTeam(input: [
    { code: "t1", players: [{ code: "p1", out: true }] }, { code: "t2", players: [{ code: "p2" }] }, { code: "t3", players: [{ code: "p3" }] }]) { numUids } }`);
  return { kernel, ask };
}

const update = (links: string, filter = '{ code: { in: ["t1", "t2"] } }') =>
  `mutation { updateTeam(input: { filter: ${filter}, links: ${links} }) { numUids } }`;
const everything =
  "{ queryTeam(order: {asc: code}) { code players(order: {asc: code}) { code } } queryPlayer(order: {asc: code}) { code team { code } } groupPlayer(by: [{field: team}]) { count } }";
const player = (code: string, team: string | null) => ({ code, team: team && { code: team } });
const team = (code: string, ...players: readonly string[]) => ({ code, players: players.map((each) => ({ code: each })) });

it("links what is added to the nodes that are left, and leaves no link to one that is not there", async () => {
  const { kernel, ask } = await league();
  expect((await ask(update('{ players: { delete: { out: true }, add: [{ code: "p3" }, { code: "p4" }] } }'))).errors).toBeUndefined();
  const { data } = await ask(everything);
  expect(data).toMatchObject({
    queryTeam: [team("t2", "p2", "p3", "p4"), team("t3")],
    queryPlayer: [player("p2", "t2"), player("p3", "t2"), player("p4", "t2")],
    groupPlayer: [{ count: 3 }],
  });
  expect((await kernel.storage.verify()).faults).toEqual([]);
});

it("adds nothing where no node is left, in the next step through another link too", async () => {
  const { kernel, ask } = await league();
  const links = '{ players: { delete: { out: true }, add: [{ code: "p3" }, { code: "new" }] }, fans: { add: [{ code: "p2" }, { code: "fan" }] } }';
  expect((await ask(update(links, '{ code: { eq: "t1" } }'))).errors).toBeUndefined();
  const { data } = await ask(everything);
  expect(data).toMatchObject({
    queryTeam: [team("t2", "p2"), team("t3", "p3")],
    queryPlayer: [player("p2", "t2"), player("p3", "t3")],
    groupPlayer: [{ count: 1 }, { count: 1 }],
  });
  expect((await kernel.storage.verify()).faults).toEqual([]);
});
