// `@id(within: [...])` over links: scopes that are objects, named by reference, by the object above, or by objects that are within others themselves.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { nestedPlugin } from "../../../plugins/nested/index.ts";
import { type Api, deploy } from "../../mutation/api.ts";

const schema = `
  type Space { id: ID!  name: String @id  code: Int @id  docs: [Doc] @hasInverse(field: space)  title: String }
  type Doc { slug: String! @id(within: ["space"])  title: String @search(by: [hash])  space: Space!  see: [Doc] }
  type Folder { name: String! @id(within: ["parent"])  parent: Folder  folders: [Folder] @hasInverse(field: parent)  root: Int @id }
  interface Place { label: String! @id }
  type Room implements Place { beds: Int }
  type Yard implements Place { trees: Int }
  union Keeper = Person | Firm
  type Person { name: String! @id }
  type Firm { vat: Int! @id }
  type Thing { number: Int! @id(within: ["place", "keeper"])  place: Place  keeper: Keeper  note: String }
  interface Part { label: String @id(within: ["whole"], interface: true)  whole: Whole }
  type Bolt implements Part { size: Int }
  type Nut implements Part { size: Int }
  type Whole { name: String! @id  parts: [Part] @hasInverse(field: whole)  main: Part }
  type Lock { id: ID!  mark: String @id(within: ["fitting"])  fitting: Fit @hasInverse(field: lock) }
  type Fit { id: ID!  mark: String @id(within: ["lock"])  lock: Lock }
`;

const apis: Api[] = [];
let api: Api;
beforeEach(async () => {
  api = await deploy(schema);
  apis.push(api);
});
afterAll(async () => {
  for (const each of apis) await each.close();
});

const reason = (field: string) => `couldn't rewrite mutation ${field} because failed to rewrite mutation payload because `;
const taken = (field: string, slug: string) => `${reason(field)}id ${slug} already exists for field slug within space inside type Doc`;
const doc = (slug: string, space: string, title = "") => `{ slug: "${slug}", title: "${title}", space: { ${space} } }`;
const add = (...all: readonly string[]) => `mutation { addDoc(input: [${all.join(", ")}]) { numUids } }`;

async function docs(): Promise<readonly string[]> {
  const { queryDoc } = (await api.run("{ queryDoc { slug title space { name } see { slug space { name } } } }")) as {
    queryDoc: { slug: string; title: string; space: { name: string }; see: { slug: string; space: { name: string } }[] }[];
  };
  return queryDoc
    .map((each) => `${each.space.name}/${each.slug}: ${each.title}${each.see.map((to) => ` > ${to.space.name}/${to.slug}`).join("")}`)
    .sort();
}

describe("a key within a link", () => {
  it("is unique for each linked object, which may be new", async () => {
    expect(await api.run(add(doc("x", 'name: "a"', "A"), doc("x", 'name: "b"', "B"), doc("y", 'name: "a"')))).toEqual({ addDoc: { numUids: 5 } });
    expect(await api.refused(add(doc("x", 'name: "a"')))).toEqual([taken("addDoc", "x")]);
    expect(await api.refused(add(doc("z", 'name: "c"'), doc("z", 'name: "c"')))).toEqual([`${reason("addDoc")}duplicate XID found: z`]);
    expect(await docs()).toEqual(["a/x: A", "a/y: ", "b/x: B"]);
  });

  it("gets an object by a key of the linked one, by its other key, and by its ID", async () => {
    await api.run(add(doc("x", 'name: "a", code: 1', "A"), doc("x", 'name: "b", code: 2', "B")));
    const { getSpace } = (await api.run('{ getSpace(name: "b") { id } }')) as { getSpace: { id: string } };
    const get = async (space: string) =>
      ((await api.run(`{ getDoc(slug: "x", space: { ${space} }) { title } }`)) as { getDoc: { title: string } | null }).getDoc;
    expect(await get('name: "a"')).toEqual({ title: "A" });
    expect(await get("code: 2")).toEqual({ title: "B" });
    expect(await get(`id: "${getSpace.id}"`)).toEqual({ title: "B" });
    expect(await get('name: "a", code: 2')).toBeNull();
    expect(await get('name: "c"')).toBeNull();
    expect(await get('id: "0xfffff"')).toBeNull();
    const query = "query ($slug: String!, $space: SpaceRef!) { getDoc(slug: $slug, space: $space) { title } }";
    expect(await api.run(query, { slug: "x", space: { name: "a" } })).toEqual({ getDoc: { title: "A" } });
  });

  it("refuses a get whose linked object is not named", async () => {
    const refusal = async (space: string) => (await api.send(`{ getDoc(slug: "x", space: { ${space} }) { title } }`)).errors?.[0]?.message;
    expect(await refusal('title: "t"')).toContain("title names no Space: give its ID or a key");
    expect(await refusal("")).toContain("no Space is named: give its ID or a key");
    expect((await api.send('{ getDoc(slug: "x") { title } }')).errors?.[0]?.message).toContain('"space" of type "SpaceRef!" is required');
  });

  it("is referenced by the ID or a key of its scope, and upserted within it", async () => {
    await api.run(add(doc("x", 'name: "a"', "A"), doc("x", 'name: "b"', "B")));
    const { getSpace } = (await api.run('{ getSpace(name: "b") { id } }')) as { getSpace: { id: string } };
    const see = `see: [{ slug: "x", space: { id: "${getSpace.id}" } }, { slug: "x", space: { name: "a" } }, { slug: "new", space: { name: "c" } }]`;
    await api.run(add(`{ slug: "y", title: "Y", space: { name: "a" }, ${see} }`));
    const upsert = (...all: readonly string[]) => api.run(`mutation { addDoc(input: [${all.join(", ")}], upsert: true) { numUids } }`);
    expect(await upsert(doc("x", 'name: "a"', "A2"), doc("x", 'name: "d"', "D"))).toEqual({ addDoc: { numUids: 2 } });
    expect(await docs()).toEqual(["a/x: A2", "a/y: Y > a/x > b/x > c/new", "b/x: B", "c/new: null", "d/x: D"]);
  });

  it("takes the object above as the scope, in adds and in updates of one object", async () => {
    await api.run(
      'mutation { addSpace(input: [{ name: "a", docs: [{ slug: "x", title: "A" }] }, { name: "b", docs: [{ slug: "x", title: "B" }] }]) { numUids } }',
    );
    const set = (filter: string, docs: string) =>
      `mutation { updateSpace(input: { filter: { name: ${filter} }, set: { docs: [${docs}] } }) { numUids } }`;
    await api.run(set('{ eq: "a" }', '{ slug: "x", title: "not read" }, { slug: "y", title: "Y" }'));
    expect(await docs()).toEqual(["a/x: A", "a/y: Y", "b/x: B"]);
    expect(await api.refused(set('{ in: ["a", "b"] }', '{ slug: "z" }'))).toEqual([
      "mutation updateSpace failed because the input names objects within those that it changes: only one node is allowed in the filter",
    ]);
    expect(await api.run(set('{ eq: "nobody" }', '{ slug: "z" }'))).toEqual({ updateSpace: { numUids: 0 } });
    expect(await docs()).toEqual(["a/x: A", "a/y: Y", "b/x: B"]);
  });

  it("judges moves by their result, whichever side moves the link, and frees what is left", async () => {
    await api.run(add(doc("x", 'name: "a"', "1"), doc("y", 'name: "a"', "2"), doc("x", 'name: "b"', "3")));
    const move = (title: string, set: string) =>
      `mutation { updateDoc(input: { filter: { title: { eq: "${title}" } }, set: { ${set} } }) { numUids } }`;
    expect(await api.refused(move("2", 'slug: "x"'))).toEqual([taken("updateDoc", "x")]);
    expect(await api.refused(move("3", 'space: { name: "a" }'))).toEqual([taken("updateDoc", "x")]);
    // With its old link, the new slug is that of another one.
    await api.run(move("2", 'slug: "x", space: { name: "c" }'));
    await api.run(add(doc("y", 'name: "a"', "4")));
    await api.run('mutation { deleteSpace(filter: { name: { eq: "b" } }) { numUids } }');
    await api.run(add(doc("x", 'name: "b"', "5")));
    expect(await api.run("{ queryDoc(filter: { not: { has: [space] } }) { title } }")).toEqual({ queryDoc: [{ title: "3" }] });
    expect(await api.run("{ queryDoc(filter: { has: [space] }) { slug title space { name } } }")).toEqual({
      queryDoc: [
        { slug: "x", title: "1", space: { name: "a" } },
        { slug: "x", title: "2", space: { name: "c" } },
        { slug: "y", title: "4", space: { name: "a" } },
        { slug: "x", title: "5", space: { name: "b" } },
      ],
    });
  });

  it("is checked when the other side moves the link", async () => {
    const merged = "mutation { updateFolder(input: { filter: { root: { eq: 1 } }, set: { folders: [{ root: 3 }] } }) { numUids } }";
    await api.run(
      'mutation { addFolder(input: [{ root: 1, name: "one" }, { root: 2, name: "two", parent: { root: 1 } }, { root: 3, name: "two" }, { root: 4, name: "four" }]) { numUids } }',
    );
    expect(await api.refused(merged)).toEqual([`${reason("updateFolder")}id two already exists for field name within parent inside type Folder`]);
    await api.run(merged.replace("root: 3", "root: 4"));
    expect(await api.run("{ getFolder(root: 1) { folders(filter: {}) { name } } }")).toEqual({
      getFolder: { folders: [{ name: "two" }, { name: "four" }] },
    });
  });

  it("removes links of objects that are named within the object above", async () => {
    await api.run(
      'mutation { addSpace(input: [{ name: "a", docs: [{ slug: "x" }, { slug: "y" }] }, { name: "b", docs: [{ slug: "x" }] }]) { numUids } }',
    );
    await api.run('mutation { updateSpace(input: { filter: { name: { eq: "a" } }, remove: { docs: [{ slug: "x" }] } }) { numUids } }');
    expect(await api.run("{ querySpace { name docs { slug } } }")).toEqual({
      querySpace: [
        { name: "a", docs: [{ slug: "y" }] },
        { name: "b", docs: [{ slug: "x" }] },
      ],
    });
  });

  it("is found along a path of scopes, and made along it", async () => {
    const chain = (names: readonly string[]): string => {
      const [name, ...rest] = names;
      return name === undefined ? "{ root: 1 }" : `{ name: "${name}", parent: ${chain(rest)} }`;
    };
    await api.run('mutation { addFolder(input: [{ root: 1, name: "root" }]) { numUids } }');
    const make = (...names: readonly string[]) => api.run(`mutation { addFolder(input: [${chain(names)}]) { numUids } }`);
    expect(await make("c", "b", "a")).toEqual({ addFolder: { numUids: 3 } });
    expect(await make("d", "b", "a")).toEqual({ addFolder: { numUids: 1 } });
    expect(await make("c", "b2", "a")).toEqual({ addFolder: { numUids: 2 } });
    await expect(make("c", "b", "a")).rejects.toThrow("id c already exists for field name within parent inside type Folder");
    const get = (...names: readonly string[]) => {
      const [name, ...rest] = names;
      return api.run(`{ getFolder(name: "${name}", parent: ${chain(rest)}) { name parent { name parent { name } } } }`);
    };
    expect(await get("c", "b2", "a")).toEqual({ getFolder: { name: "c", parent: { name: "b2", parent: { name: "a" } } } });
    expect(await get("d", "b2", "a")).toEqual({ getFolder: null });
  });

  it("is within links to interfaces and unions", async () => {
    await api.run('mutation { addRoom(input: [{ label: "r" }]) { numUids } addYard(input: [{ label: "y" }]) { numUids } }');
    const thing = (place: string, keeper: string, note: string) =>
      `{ number: 1, place: { label: "${place}" }, keeper: { ${keeper} }, note: "${note}" }`;
    const put = (...all: readonly string[]) => `mutation { addThing(input: [${all.join(", ")}]) { numUids } }`;
    await api.run(
      put(thing("r", 'personRef: { name: "p" }', "1"), thing("y", 'personRef: { name: "p" }', "2"), thing("r", "firmRef: { vat: 7 }", "3")),
    );
    expect(await api.refused(put(thing("r", "firmRef: { vat: 7 }", "4")))).toHaveLength(1);
    const get = (place: string, keeper: string) => api.run(`{ getThing(number: 1, place: { label: "${place}" }, keeper: { ${keeper} }) { note } }`);
    expect(await get("r", "firmRef: { vat: 7 }")).toEqual({ getThing: { note: "3" } });
    expect(await get("y", 'personRef: { name: "p" }')).toEqual({ getThing: { note: "2" } });
    expect(await get("y", "firmRef: { vat: 7 }")).toEqual({ getThing: null });
  });

  it("with `interface: true` is unique among all types of the interface, and references to the interface name both", async () => {
    const put = (type: string, whole: string) => `mutation { add${type}(input: [{ label: "l", whole: { name: "${whole}" } }]) { numUids } }`;
    await api.run(put("Bolt", "a"));
    await api.run(put("Nut", "b"));
    expect(await api.refused(put("Nut", "a"))).toEqual([
      `${reason("addNut")}id l already exists for field label within whole in some other implementing type of interface Part`,
    ]);
    await api.run('mutation { addWhole(input: [{ name: "c", main: { label: "l", whole: { name: "b" } } }]) { numUids } }');
    expect(await api.run('{ getPart(label: "l", whole: { name: "a" }) { __typename } getWhole(name: "c") { main { __typename label } } }')).toEqual({
      getPart: { __typename: "Bolt" },
      getWhole: { main: { __typename: "Nut", label: "l" } },
    });
  });

  it("lets one of many concurrent writers have a key in each scope", async () => {
    await api.run('mutation { addSpace(input: [{ name: "a" }, { name: "b" }]) { numUids } }');
    const answers = await Promise.all(Array.from({ length: 48 }, (_, i) => api.send(add(doc(`s${i % 3}`, `name: "${"ab"[i % 2]}"`)))));
    expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(6);
  });

  it("may be within an object whose key is within the first one: such objects are new", async () => {
    const pair = 'mutation { addLock(input: [{ mark: "l", fitting: { mark: "f" } }, { mark: "l", fitting: { mark: "f" } }]) { numUids } }';
    expect(await api.run(pair)).toEqual({ addLock: { numUids: 4 } });
    const { queryLock } = (await api.run("{ queryLock { id fitting { id } } }")) as { queryLock: { id: string; fitting: { id: string } }[] };
    const [first] = queryLock;
    expect(
      await api.run(`{ getLock(mark: "l", fitting: { id: "${first?.fitting.id}" }) { id } getFit(mark: "f", lock: { id: "${first?.id}" }) { id } }`),
    ).toEqual({
      getLock: { id: first?.id },
      getFit: { id: first?.fitting.id },
    });
  });
});

describe("an update of linked objects", () => {
  it("makes and finds objects within the one that it changes", async () => {
    const nested = await deploy(
      `type Space @nested { name: String! @id  docs: [Doc] @hasInverse(field: space) }
       type Doc { id: ID!  slug: String! @id(within: ["space"])  text: String  space: Space  see: [Doc] }`,
      [nestedPlugin()],
    );
    apis.push(nested);
    await nested.run(
      'mutation { addSpace(input: [{ name: "a", docs: [{ slug: "x", text: "A" }] }, { name: "b", docs: [{ slug: "x", text: "B" }] }]) { numUids } }',
    );
    const update = (links: string) => `mutation { updateSpace(input: { filter: { name: { eq: "b" } }, links: { docs: { ${links} } } }) { numUids } }`;
    await nested.run(update('add: [{ slug: "x" }, { slug: "y", text: "Y" }]'));
    await nested.run(update('update: [{ filter: { slug: { eq: "y" } }, set: { see: [{ slug: "x", space: { name: "a" } }] } }]'));
    expect(await nested.run("{ querySpace { name docs { slug text see { text } } } }")).toEqual({
      querySpace: [
        { name: "a", docs: [{ slug: "x", text: "A", see: [] }] },
        {
          name: "b",
          docs: [
            { slug: "x", text: "B", see: [] },
            { slug: "y", text: "Y", see: [{ text: "A" }] },
          ],
        },
      ],
    });
  });
});
