// How many commands each operation sends to MongoDB: each is a round trip. The table in adapters/mongodb/README.md says the same.

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type WatchedSite, watchedSite } from "./watched-commands.ts";

const schema = `
  interface Named { id: ID!  code: String @id(interface: true) }
  type Package implements Named {
    name: String! @id  size: Int
    maintainer: Person @hasInverse(field: packages)  tags: [Tag] @hasInverse(field: packages)  topics: [Topic] @hasInverse(field: packages)
  }
  type Person { id: ID! name: String! @id packages: [Package] }
  type Tag { id: ID! name: String! @id note: String packages: [Package] }
  type Topic { id: ID! name: String! @id packages: [Package] }
  type Project implements Named { title: String }`;

const linked = `maintainer: { name: "ann" }, tags: [{ name: "t" }], topics: [{ name: "o" }]`;

async function filled(): Promise<WatchedSite> {
  const site = await watchedSite(schema);
  await site.run(`mutation {
    addPerson(input: [{ name: "ann" }, { name: "bob" }]) { numUids }
    addTag(input: [{ name: "t" }]) { numUids }
    addTopic(input: [{ name: "o" }]) { numUids }
    addPackage(input: [{ name: "vim", size: 1, ${linked} }, { name: "gone", size: 1, ${linked} }]) { numUids } }`);
  return site;
}

/** As the table in the README names it, what is sent, and the commands; those of MongoDB 8.0 where they are fewer. Each runs on data of its own. */
const operations: readonly (readonly [name: string, query: string, commands: number, together?: number])[] = [
  ["get by key or id", `{ getPackage(name: "vim") { name size } }`, 1],
  ["a query and its to-one links", `{ queryPackage { name maintainer { name } } }`, 2],
  ["the same, with nothing but ids", `{ queryPackage { name maintainer { id } } }`, 1],
  ["a query and its lists", `{ queryPerson { name packages { name } } }`, 2],
  ["a query and lists of many to many", `{ queryPackage { name tags { name } } }`, 2],
  ["lists of many to many with nothing but ids", `{ queryPackage { name tags { id } } }`, 2],
  ["add with a key", `mutation { addPerson(input: [{ name: "cid" }]) { numUids } }`, 3, 2],
  ["the same with a payload", `mutation { addPerson(input: [{ name: "cid" }]) { person { id name } } }`, 3, 2],
  ["add with a to-one link by key", `mutation { addPackage(input: [{ name: "vi", maintainer: { name: "ann" } }]) { numUids } }`, 4, 3],
  ["add with a to-one link and two of many to many", `mutation { addPackage(input: [{ name: "vi", ${linked} }]) { numUids } }`, 6, 3],
  ["add with a key of an interface over two types", `mutation { addProject(input: [{ code: "c" }]) { numUids } }`, 4, 2],
  ["update by key or id", `mutation { updatePackage(input: { filter: { name: { eq: "vim" } }, set: { size: 2 } }) { numUids } }`, 4, 3],
  ["upsert by key", `mutation { addPackage(input: [{ name: "vim", size: 2 }], upsert: true) { numUids } }`, 4, 3],
  ["update or upsert that changes nothing", `mutation { addPackage(input: [{ name: "vim", size: 1 }], upsert: true) { numUids } }`, 2],
  [
    "move a to-one link by key",
    `mutation { updatePackage(input: { filter: { name: { eq: "vim" } }, set: { maintainer: { name: "bob" } } }) { numUids } }`,
    4,
    3,
  ],
  ["delete a node with three links", `mutation { deletePackage(filter: { name: { eq: "gone" } }) { numUids } }`, 7, 4],
];

describe("commands for each operation", () => {
  const named = operations.map(([name, query, commands, together = commands]) => ({ name, query, commands, together }));

  it.each(named)("are as few as stated: $name", async ({ query, commands, together }) => {
    const site = await filled();
    const sent = await site.commands(() => site.run(query));
    expect(sent, sent.join(", ")).toHaveLength(site.writesTogether ? together : commands);
  });

  it("are those that the README names", async () => {
    const readme = await readFile("adapters/mongodb/README.md", "utf8");
    for (const { name, commands, together } of named) expect(readme).toMatch(new RegExp(`^\\| ${name} +\\| ${commands} +\\| ${together} +\\|`, "m"));
  });
});

describe("partners of which nothing but ids is asked", () => {
  const of = (partner: string) => `type Package { id: ID! name: String! @search(by: [hash]) keeper: ${partner} }
    type Person { id: ID! name: String } type Team { id: ID! name: String }`;

  it("are not shown when an earlier schema linked them and this one leads to another type", async () => {
    const site = await watchedSite(of("Person"));
    await site.run(`mutation { addPackage(input: [{ name: "vim", keeper: { name: "ann" } }]) { numUids } }`);
    await site.kernel.deploy(of("Team"));
    await site.run(`mutation { addPackage(input: [{ name: "vi", keeper: { name: "core" } }]) { numUids } }`);
    const answer = await site.run("{ queryPackage(order: { asc: name }) { name keeper { id } } queryTeam { id } }");
    expect(answer).toEqual({
      queryPackage: [
        { name: "vi", keeper: { id: expect.any(String) } },
        { name: "vim", keeper: null },
      ],
      queryTeam: [{ id: expect.any(String) }],
    });
  });

  it("are gone in the transaction that deletes them", async () => {
    const site = await filled();
    const both = `mutation {
      deletePerson(filter: { name: { eq: "ann" } }) { numUids }
      updatePackage(input: { filter: { name: { eq: "vim" } }, set: { size: 7 } }) { package { name maintainer { id } } } }`;
    expect(await site.run(both)).toEqual({ deletePerson: { numUids: 1 }, updatePackage: { package: [{ name: "vim", maintainer: null }] } });
  });
});

describe("lists of many to many", () => {
  const named = (letters: readonly string[], note = "") =>
    letters.map((letter) => `{ name: "${letter}", note: "${note === "" ? letter : note}" }`).join(", ");

  async function tagged(tags: string): Promise<WatchedSite> {
    const site = await watchedSite(schema);
    await site.run(`mutation { addPackage(input: [{ name: "vi", tags: [${tags}] }, { name: "ed", tags: [{ name: "a" }] }]) { numUids } }`);
    return site;
  }

  it.each([
    ["a page of one node", `{ getPackage(name: "vi") { tags(first: 2, offset: 1) { name } } }`, { tags: [{ name: "a" }, { name: "c" }] }],
    ["an order", `{ getPackage(name: "vi") { tags(order: { desc: name }, first: 2) { name } } }`, { tags: [{ name: "c" }, { name: "b" }] }],
    ["a filter", `{ getPackage(name: "vi") { tags(filter: { name: { in: ["a", "c"] } }) { note } } }`, { tags: [{ note: "a" }, { note: "c" }] }],
  ])("are one command with %s", async (_, query, wanted) => {
    const site = await tagged(named(["b", "a", "c"]));
    const sent = await site.commands(async () => expect((await site.run(query)).getPackage).toEqual(wanted));
    expect(sent).toEqual(["find Package", expect.stringMatching(/^aggregate quern\.links/)]);
  });

  it("are two where the nodes do not fit into one answer", async () => {
    const site = await watchedSite(schema);
    const note = "x".repeat(6_000_000);
    for (const name of ["a", "b", "c"]) await site.run(`mutation { addTag(input: [${named([name], note)}]) { numUids } }`);
    await site.run(`mutation { addPackage(input: [{ name: "vi", tags: [{ name: "a" }, { name: "b" }, { name: "c" }] }]) { numUids } }`);
    const { getPackage } = await site.run(`{ getPackage(name: "vi") { tags { name note } } }`);
    expect(getPackage).toEqual({ tags: ["a", "b", "c"].map((name) => ({ name, note })) });
  });

  it("are two where the links are many, and hold all of them", async () => {
    const letters = Array.from({ length: 2_001 }, (_, i) => `tag ${i}`);
    const site = await tagged(named(letters));
    const { queryPackage } = await site.run(`{ queryPackage(order: { asc: name }) { tags { name } } }`);
    expect(queryPackage).toEqual([{ tags: [{ name: "a" }] }, { tags: letters.map((name) => ({ name })) }]);
  });
});

describe("what names one node by its key", () => {
  it("is neither ordered nor read by a cursor of the driver, and an order does not change it", async () => {
    const site = await filled();
    const asked = await site.sent(() => site.run(`{ getPackage(name: "vim") { size } }`));
    expect(asked).toEqual([expect.objectContaining({ find: "Package", filter: { name: { $eq: "vim" } }, limit: expect.any(Number) })]);
    expect(asked[0]).not.toHaveProperty("sort");
    expect(await site.run(`{ queryPackage(filter: { name: { eq: "vim" } }, order: { desc: size }, offset: 1) { name } }`)).toEqual({
      queryPackage: [],
    });
  });
});

describe("nodes that a query names by id", () => {
  it("are all found where they fill more than one answer", async () => {
    const site = await watchedSite(schema);
    const note = "x".repeat(6_000_000);
    const ids: unknown[] = [];
    for (const name of ["a", "b", "c"]) {
      const { addTag } = await site.run(`mutation { addTag(input: [{ name: "${name}", note: "${note}" }]) { tag { id } } }`);
      ids.push(JSON.stringify(addTag).match(/0x[0-9a-f]+/)?.[0]);
    }
    const { queryTag } = await site.run(`{ queryTag(filter: { id: ${JSON.stringify(ids)} }, first: 3) { name note } }`);
    expect(queryTag).toEqual(["a", "b", "c"].map((name) => ({ name, note })));
  });
});

describe("what a mutation looks up", () => {
  it("is read apart where it is too large for one answer", async () => {
    const site = await filled();
    const names = ["a", "b", "c"].map((letter) => letter.repeat(6_000_000));
    for (const name of names) await site.run(`mutation { addTag(input: [{ name: "${name.slice(0, 9)}", note: "${name}" }]) { numUids } }`);
    const tags = names.map((name) => `{ name: "${name.slice(0, 9)}" }`);
    const add = `mutation { addPackage(input: [{ name: "vi", maintainer: { name: "ann" }, tags: [${tags}] }]) { numUids } }`;
    expect(await site.commands(() => site.run(add))).toContain("abortTransaction");
    expect(await site.run(`{ getPackage(name: "vi") { maintainer { name } tags { name } } }`)).toEqual({
      getPackage: { maintainer: { name: "ann" }, tags: names.map((name) => ({ name: name.slice(0, 9) })) },
    });
  });
});

describe("the links of a deleted node", () => {
  it("are all removed where they are more than reads together hold", async () => {
    const site = await filled();
    const packages = Array.from({ length: 1_100 }, (_, i) => `{ name: "p${i}", topics: [{ name: "o" }] }`);
    await site.run(`mutation { addTag(input: [{ name: "many", packages: [${packages}] }]) { numUids } }`);
    await site.run(`mutation { deleteTag(filter: { name: { eq: "many" } }) { numUids } }`);
    expect(await site.run(`{ aggregatePackage(filter: { has: topics }) { count } queryPackage(filter: { has: tags }) { name } }`)).toEqual({
      aggregatePackage: { count: 1_102 },
      queryPackage: [{ name: "vim" }, { name: "gone" }],
    });
  });
});

describe("a mutation that changes nothing", () => {
  it.each([
    ["an upsert", `addPackage(input: [{ name: "vim", size: 1, maintainer: { name: "ann" } }], upsert: true)`],
    ["an update", `updatePackage(input: { filter: {}, set: { size: 1 } })`],
  ])("that is %s reads, and neither writes nor commits", async (_, mutation) => {
    const site = await filled();
    const sent = await site.commands(() => site.run(`mutation { ${mutation} { numUids } }`));
    expect(sent.filter((each) => !each.startsWith("find ") && !each.startsWith("aggregate"))).toEqual(["abortTransaction"]);
  });
});
