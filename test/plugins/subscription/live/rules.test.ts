// Commits that make objects visible or hide them without touching them: through a third object that a rule looks at.

import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { authPlugin } from "../../../../plugins/auth/index.ts";
import { liveApi } from "../../../support/live-clients.ts";
import { line, token } from "../../auth/token.ts";

const schema = `
  type Doc @withSubscription @auth(query: { or: [
    { rule: "query($USER: String!) { queryDoc { team { members(filter: {name: {eq: $USER}}) { name } } } }" }
    { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" }
  ] }) { key: String! @id  size: Int  team: Team @hasInverse(field: docs) }
  type Team @withSubscription { name: String! @id  docs: [Doc]  members: [Person] @hasInverse(field: teams) }
  type Person { name: String! @id  teams: [Team] }
  interface Item @withSubscription @auth(query: { rule: "query { queryItem { box { open } } }" }) { key: String! @id  box: Box @hasInverse(field: items) }
  type Pen implements Item { ink: String }
  type Cap implements Item @auth(query: { rule: "query($USER: String!) { queryCap { box { lock(filter: {owner: {eq: $USER}}) { owner } } } }" }) { brim: Int }
  type Box { key: String! @id  open: Boolean  items: [Item]  lock: Lock }
  type Lock { key: String! @id  owner: String @search(by: [hash]) }
  ${line}
`;

/** Commits of this spec change what their caller does not see. */
const plugins = standardPlugins().map((plugin) => (plugin.name === "auth" ? authPlugin({ writesHidden: true }) : plugin));

const questions = [
  "queryDoc(order: {asc: key}) { key size }",
  "aggregateDoc { count sizeSum }",
  "queryTeam(order: {asc: name}) { name docs(order: {asc: key}) { key } docsAggregate { count } }",
  'getDoc(key: "d1") { key }',
  "queryItem(order: {asc: key}) { key __typename }",
  "aggregateItem { count }",
];

const callers = [{ USER: "ann" }, { USER: "bo" }, { ROLE: "ADMIN" }, undefined].map((claims) => ({
  headers: claims ? { "x-harbour": token(claims) } : {},
}));

const commits = [
  'addPerson(input: [{name: "ann"}, {name: "bo"}]) { numUids }',
  'addDoc(input: [{key: "d1", size: 1, team: {name: "t1"}}, {key: "d2", size: 2, team: {name: "t2"}}, {key: "d3", size: 4}]) { numUids }',
  'updatePerson(input: {filter: {name: {eq: "ann"}}, set: {teams: [{name: "t1"}]}}) { numUids }',
  'updateTeam(input: {filter: {name: {eq: "t2"}}, set: {members: [{name: "ann"}, {name: "bo"}]}}) { numUids }',
  'updatePerson(input: {filter: {name: {eq: "ann"}}, set: {name: "anna"}}) { numUids }',
  'updatePerson(input: {filter: {name: {eq: "bo"}}, set: {name: "ann"}}) { numUids }',
  'deletePerson(filter: {name: {eq: "ann"}}) { numUids }',
  'updatePerson(input: {filter: {name: {eq: "anna"}}, set: {name: "ann"}}) { numUids }',
  'deleteTeam(filter: {name: {eq: "t1"}}) { numUids }',
  'addBox(input: [{key: "b1", open: true, lock: {key: "l1", owner: "ann"}}, {key: "b2", lock: {key: "l2", owner: "bo"}}]) { numUids }',
  'addPen(input: [{key: "p1", box: {key: "b1"}}, {key: "p2", box: {key: "b2"}}]) { numUids }',
  'addCap(input: [{key: "c1", box: {key: "b1"}}, {key: "c2", box: {key: "b2"}}]) { numUids }',
  'updateBox(input: {filter: {key: {eq: "b2"}}, set: {open: true}}) { numUids }',
  'updateLock(input: {filter: {key: {eq: "l2"}}, set: {owner: "ann"}}) { numUids }',
  'updateBox(input: {filter: {key: {eq: "b1"}}, remove: {open: true}}) { numUids }',
  'updateBox(input: {filter: {key: {eq: "b1"}}, set: {lock: {key: "l2"}, open: true}}) { numUids }',
  "deleteLock(filter: {}) { numUids }",
];

let api: Awaited<ReturnType<typeof liveApi>> | undefined;
afterEach(async () => {
  await api?.remove();
  api = undefined;
});

it("sends each caller what it may see, once, whichever object of the rule changes", async () => {
  api = await liveApi(schema, { plugins });
  const { begin, change, query, settled } = api;
  const watched = callers.flatMap((caller) =>
    questions.map((question) => ({ question, caller, client: begin(`subscription { ${question} }`, caller) })),
  );
  await settled();
  for (const commit of ["", ...commits]) {
    if (commit !== "") await change(`mutation { ${commit} }`);
    for (const { question, caller, client } of watched) {
      expect(client.last, `after ${commit}`).toEqual(await query(`{ ${question} }`, caller));
    }
  }
  for (const { client } of watched) {
    expect(client.ending).toBeUndefined();
    for (const [i, data] of client.data.entries()) expect(data).not.toEqual(client.data[i + 1]);
  }
  // A spec in which nobody's answers change would hold for an engine that does nothing.
  const [ann, bo] = [watched[0], watched[questions.length + 4]];
  expect(ann?.client.data.length).toBeGreaterThan(4);
  expect(bo?.client.data.at(-2)).not.toEqual({ queryItem: [] });
});

describe("a rule over two links", () => {
  const linked = `
    type A @withSubscription @auth(query: { rule: "query { queryA { bs { cs { name } } } }" }) { name: String! @id  bs: [B] @hasInverse(field: owners) }
    type B { name: String! @id  owners: [A]  cs: [C] @hasInverse(field: bs)  open: Boolean @search }
    type C { name: String! @id  bs: [B] }
    type Hall @withSubscription @auth(query: { rule: "query { queryHall { doors(filter: {open: true}) { name } } }" })
      { name: String! @id  doors: [Door] @hasInverse(field: halls) }
    type Door { name: String! @id  halls: [Hall]  open: Boolean @search }
    ${line}
  `;

  it("hides an object that loses the partner that satisfied the rule and keeps other partners", async () => {
    api = await liveApi(linked, { plugins });
    const { change, watch } = api;
    await change(
      'mutation { addA(input: [{name: "a", bs: [{name: "b1", cs: [{name: "c"}]}, {name: "b2"}]}, {name: "z", bs: [{name: "b3", cs: [{name: "c"}]}]}]) { numUids } }',
    );
    const client = await watch("subscription { queryA(order: {asc: name}) { name } }");
    expect(client.last).toEqual({ queryA: [{ name: "a" }, { name: "z" }] });
    await change('mutation { updateA(input: {filter: {name: {eq: "a"}}, remove: {bs: [{name: "b1"}]}}) { numUids } }');
    expect(client.last).toEqual({ queryA: [{ name: "z" }] });
    await change('mutation { updateA(input: {filter: {name: {eq: "a"}}, set: {bs: [{name: "b3"}]}}) { numUids } }');
    expect(client.last).toEqual({ queryA: [{ name: "a" }, { name: "z" }] });
    await change('mutation { updateB(input: {filter: {name: {eq: "b3"}}, remove: {cs: [{name: "c"}]}}) { numUids } }');
    expect(client.last).toEqual({ queryA: [] });
  });

  it.each([63, 64, 65, 70])("evaluates each of %i partners, even more than are loaded with an object", async (count) => {
    api = await liveApi(linked, { plugins });
    const { change, watch } = api;
    const doors = Array.from({ length: count }, (_, i) => `{name: "d${i}"}`).join(", ");
    await change(
      `mutation { addHall(input: [{name: "h", doors: [${doors}]}]) { numUids } addDoor(input: [{name: "last", open: true}]) { numUids } }`,
    );
    const client = await watch("subscription { queryHall { name } }");
    expect(client.last).toEqual({ queryHall: [] });
    await change('mutation { updateHall(input: {filter: {name: {eq: "h"}}, set: {doors: [{name: "last"}]}}) { numUids } }');
    expect(client.last).toEqual({ queryHall: [{ name: "h" }] });
    await change('mutation { updateHall(input: {filter: {name: {eq: "h"}}, remove: {doors: [{name: "last"}]}}) { numUids } }');
    expect(client.last).toEqual({ queryHall: [] });
    await change('mutation { updateDoor(input: {filter: {name: {eq: "d0"}}, set: {open: true}}) { numUids } }');
    expect(client.last).toEqual({ queryHall: [{ name: "h" }] });
    await change('mutation { updateHall(input: {filter: {name: {eq: "h"}}, remove: {doors: [{name: "d1"}]}}) { numUids } }');
    expect(client.last).toEqual({ queryHall: [{ name: "h" }] });
    await change('mutation { updateHall(input: {filter: {name: {eq: "h"}}, remove: {doors: [{name: "d0"}]}}) { numUids } }');
    expect(client.last).toEqual({ queryHall: [] });
  });
});
