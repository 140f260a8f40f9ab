// `@cascade` beside what plugins add: rules, custom fields, functions, live queries.

import { afterEach, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { lambdaPlugin } from "../../plugins/lambda/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";
import { liveOn } from "../support/live-clients.ts";
import { line, token } from "./auth/token.ts";
import { json, remote } from "./custom/remote.ts";

const open: { remove(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.remove();
});

async function start(schema: string, plugins = standardPlugins()): Promise<TemporaryKernel["kernel"]> {
  const stack = await temporaryKernel({ plugins });
  open.unshift(stack);
  await stack.kernel.deploy(schema);
  return stack.kernel;
}

const teams = `{ name: "old", crew: [{ no: 1, age: 60 }, { no: 2 }] } { name: "young", crew: [{ no: 3, age: 20 }] } { name: "ageless", crew: [{ no: 4 }] } { name: "empty" }`;

it("a rule with a measure lets through the objects that have one", async () => {
  const kernel = await start(`
    type Team @auth(query: { rule: "query { queryTeam { crewAggregate(filter: { age: { ge: 30 } }) { ageMax } } }" }) {
      name: String! @id
      crew: [Sailor]
      at: Place @hasInverse(field: teams)
    }
    type Place @auth(query: { rule: "query { queryPlace { teams { crewAggregate { count ageMax } } } }" }) { code: String! @id  teams: [Team] }
    type Sailor { no: Int! @id  age: Int @search }
    ${line}
  `);
  const ask = async (query: string) => JSON.parse((await kernel.execute({ query, headers: { "x-harbour": token({}) } })).body).data;
  await ask(`mutation {
    addTeam(input: [${teams}]) { numUids }
    addPlace(input: [{ code: "K", teams: [{ name: "ageless" }, { name: "young" }] }, { code: "F", teams: [{ name: "empty" }] }]) { numUids }
  }`);
  expect(await ask("{ queryTeam { name crewAggregate { count ageMax } } aggregateTeam { count } }")).toEqual({
    queryTeam: [{ name: "old", crewAggregate: { count: 2, ageMax: 60 } }],
    aggregateTeam: { count: 1 },
  });
  expect(await ask("{ queryPlace { code } }")).toEqual({ queryPlace: [{ code: "K" }] });
});

it("a measure counts what the caller may see", async () => {
  const kernel = await start(`
    type Team { name: String! @id  crew: [Sailor] }
    type Sailor @auth(query: { or: [{ rule: "{$ROLE: {eq: \\"ADMIN\\"}}" }, { rule: "query { querySailor(filter: { no: { eq: 3 } }) { no } }" }] }) { no: Int! @id  age: Int }
    ${line}
  `);
  const ask = async (query: string, role: string) =>
    JSON.parse((await kernel.execute({ query, headers: { "x-harbour": token({ ROLE: role }) } })).body).data;
  await ask(`mutation { addTeam(input: [${teams}]) { numUids } }`, "ADMIN");
  const query = "{ queryTeam @cascade { name crewAggregate { ageMax } } }";
  expect(await ask(query, "ADMIN")).toEqual({
    queryTeam: [
      { name: "old", crewAggregate: { ageMax: 60 } },
      { name: "young", crewAggregate: { ageMax: 20 } },
    ],
  });
  expect(await ask(query, "GUEST")).toEqual({ queryTeam: [{ name: "young", crewAggregate: { ageMax: 20 } }] });
});

it("asks nothing of custom fields and functions, and all of the stored fields beside them", async () => {
  const service = await remote(json(null));
  open.push({ remove: () => service.close() });
  const functions = { "Team.told": () => null };
  const plugins = [...standardPlugins().filter(({ name }) => name !== "lambda"), lambdaPlugin({ functions })];
  const kernel = await start(
    `type Team {
      name: String! @id
      motto: String!
      crew: [Sailor]
      asked: String @custom(http: { url: "${service.url}/$name?m=$motto", method: GET })
      told: String @lambda
    }
    type Sailor { no: Int! @id  age: Int }`,
    plugins,
  );
  const ask = async (query: string) => JSON.parse((await kernel.execute({ query })).body).data;
  await ask(
    `mutation { addTeam(input: [{ name: "a", motto: "x", crew: [{ no: 1, age: 9 }] }, { name: "b", motto: "y" }, { name: "c", motto: "" }]) { numUids } }`,
  );
  await ask(`mutation { updateTeam(input: { filter: { name: { eq: "b" } }, remove: { motto: "y" } }) { numUids } }`);
  // The empty text is a value; an absent one is none.
  expect(await ask("{ queryTeam @cascade { name motto asked told } }")).toEqual({
    queryTeam: [
      { name: "a", motto: "x", asked: null, told: null },
      { name: "c", motto: "", asked: null, told: null },
    ],
  });
  expect(await ask(`{ queryTeam @cascade(fields: ["asked", "told"]) { name asked told } }`)).toEqual({
    queryTeam: ["a", "b", "c"].map((name) => ({ name, asked: null, told: null })),
  });
  expect(await ask("{ queryTeam @cascade { name asked crewAggregate { ageSum } } }")).toEqual({
    queryTeam: [{ name: "a", asked: null, crewAggregate: { ageSum: 9 } }],
  });
});

it("shows an object of which everything is skipped as an object without fields", async () => {
  const kernel = await start("type Team { name: String! @id  crew: [Sailor] } type Sailor { no: Int! @id  age: Int }");
  const ask = async (query: string) => JSON.parse((await kernel.execute({ query })).body).data;
  await ask(`mutation { addTeam(input: [{ name: "a", crew: [{ no: 1 }] }, { name: "b" }]) { numUids } }`);
  const all = "name @skip(if: true) crew @include(if: false) { no } crewAggregate @skip(if: true) { ageSum }";
  expect(await ask(`{ queryTeam { ${all} } }`)).toEqual({ queryTeam: [{}, {}] });
  expect(await ask(`{ queryTeam @cascade { ${all} } }`)).toEqual({ queryTeam: [{}, {}] });
  expect(await ask(`{ getTeam(name: "a") @cascade { ${all} } }`)).toEqual({ getTeam: {} });
  expect(await ask("{ queryTeam @cascade { crew { no @skip(if: true) } } }")).toEqual({ queryTeam: [{ crew: [{}] }] });
});

it("a live query shows and leaves out an object as its measure gets and loses its values", async () => {
  const kernel = await start("type Team @withSubscription { name: String! @id  crew: [Sailor] } type Sailor { no: Int! @id  age: Int }");
  const api = liveOn(kernel);
  await api.change(`mutation { addTeam(input: [{ name: "a", crew: [{ no: 1 }] }]) { numUids } }`);
  const client = await api.watch("subscription { queryTeam @cascade { name crewAggregate { ageMax } } }");
  await api.change("mutation { updateSailor(input: { filter: { no: { eq: 1 } }, set: { age: 7 } }) { numUids } }");
  await api.change("mutation { deleteSailor(filter: { no: { eq: 1 } }) { numUids } }");
  expect(client.data).toEqual([{ queryTeam: [] }, { queryTeam: [{ name: "a", crewAggregate: { ageMax: 7 } }] }, { queryTeam: [] }]);
});
