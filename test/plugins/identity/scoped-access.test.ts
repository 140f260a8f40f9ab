// Keys within a scope beside rules: what a hidden holder, a hidden scope and a hidden part tell, and scopes that a plugin gives.

import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type DirectivePlugin, QuernError } from "../../../core/plugin.ts";
import { deploy } from "../auth/harness.ts";
import { line, token } from "../auth/token.ts";

const own = (type: string, field: string) => `{ rule: "query($USER: String!) { query${type}(filter: { ${field}: { eq: $USER } }) { __typename } }" }`;
const chief = token({ ROLE: "CHIEF", USER: "chief" });
const ann = token({ USER: "ann" });

describe("a key within a value, beside rules", () => {
  const schema = `
    type Note @auth(query: ${own("Note", "owner")}) {
      tenant: String!  slug: String! @id(within: ["tenant"])  owner: String! @search(by: [hash])  text: String  see: Note
    }
    ${line}`;
  const note = (tenant: string, slug: string, owner: string, more = "") => `{ tenant: "${tenant}", slug: "${slug}", owner: "${owner}"${more} }`;

  async function notes() {
    const api = await deploy(schema);
    const add = (input: string, options = "") => api.ask(`mutation { addNote(input: [${input}]${options}) { numUids } }`, ann);
    await add([note("a", "hers", "ann"), note("a", "his", "bob"), note("b", "his", "bob")].join(", "));
    return { ...api, add };
  }

  it("tells no more of a hidden holder than a key of one field does", async () => {
    const { ask, add } = await notes();
    const nothing = { data: { addNote: null } };
    expect(await add(note("a", "his", "ann"))).toEqual(nothing);
    expect(await ask('{ getNote(tenant: "a", slug: "his") { slug } }', ann)).toEqual({ data: { getNote: null } });
    expect(await ask('{ getNote(tenant: "a", slug: "nobody") { slug } }', ann)).toEqual({ data: { getNote: null } });
    // An upsert leaves what it may not change as it is.
    expect(await add(note("a", "his", "ann", ', text: "mine"'), ", upsert: true")).toEqual({ data: { addNote: { numUids: 0 } } });
    expect(await ask('{ getNote(tenant: "a", slug: "hers") { slug } }', ann)).toEqual({ data: { getNote: { slug: "hers" } } });
  });

  it("knows nothing of holders in other scopes", async () => {
    const { add } = await notes();
    expect(await add(note("c", "his", "ann"))).toEqual({ data: { addNote: { numUids: 1 } } });
    expect(await add(note("d", "his", "ann"), ", upsert: true")).toEqual({ data: { addNote: { numUids: 1 } } });
  });
});

describe("a key within a link, beside rules", () => {
  const schema = `
    type Space @auth(query: ${own("Space", "owner")}) { name: String! @id  owner: String! @search(by: [hash])  docs: [Doc] @hasInverse(field: space) }
    type Doc { slug: String! @id(within: ["space"])  space: Space!  text: String  see: Doc }
    ${line}`;

  it("names nothing by an object that the caller may not see", async () => {
    const { ask, stack } = await deploy(schema);
    await ask('mutation { addSpace(input: [{ name: "hers", owner: "ann" }, { name: "his", owner: "bob" }]) { numUids } }', ann);
    await stack.kernel.execute({
      query:
        'mutation { addDoc(input: [{ slug: "x", text: "his", space: { name: "his" } }, { slug: "x", text: "hers", space: { name: "hers" } }]) { numUids } }',
      as: "system",
    });
    const get = (slug: string, space: string) => ask(`{ getDoc(slug: "${slug}", space: { name: "${space}" }) { text } }`, ann);
    expect(await get("x", "hers")).toEqual({ data: { getDoc: { text: "hers" } } });
    expect(await get("x", "his")).toEqual(await get("nothing", "his"));
  });

  it("is no scope for inputs of a caller from whom a plugin keeps references", async () => {
    const { ask } = await deploy(
      `type Space { name: String! @id  tenant: String! @tenant }
       type Doc { slug: String! @id(within: ["space"])  space: Space!  text: String  see: Doc }`,
      {},
      { plugins: [...standardPlugins(), tenantPlugin()], debug: true },
    );
    const of = (tenant: string) => ({ "x-tenant": tenant });
    const add = async (tenant: string, doc: string) =>
      (await ask(`mutation { addDoc(input: [${doc}]) { doc { see { text } } } }`, of(tenant))).errors?.[0]?.message;
    await add("b", '{ slug: "x", text: "b", space: { name: "of b" } }');
    await add("a", '{ slug: "x", text: "a", space: { name: "of a" } }');
    for (const slug of ["x", "y"]) {
      expect(await add("a", `{ slug: "${slug}", space: { name: "of b" } }`)).toContain(
        "GraphQL debug: id of b already exists for field name inside type Space",
      );
      expect(await add("a", `{ slug: "n", space: { name: "of a" }, see: { slug: "${slug}", space: { name: "of b" } } }`)).toContain(
        "GraphQL debug: id of b",
      );
    }
  });
});

describe("hidden parts of a key", () => {
  it("cannot be found out by writes of the other parts", async () => {
    const schema = `
      type Card {
        number: Int! @search  tenant: String @auth(query: { rule: "{ $ROLE: { eq: \\"CHIEF\\" } }" })  slug: String @id(within: ["tenant"])
      }
      ${line}`;
    const { ask } = await deploy(schema, { fieldRules: true });
    await ask(
      'mutation { addCard(input: [{ number: 1, tenant: "a", slug: "x" }, { number: 2, tenant: "a", slug: "y" }, { number: 3, tenant: "b", slug: "y" }]) { numUids } }',
      chief,
    );
    const rename = (set: string, who: string) =>
      ask(`mutation { updateCard(input: { filter: { number: { eq: 2 } }, set: { ${set} } }) { numUids } }`, who);
    const told = async (set: string) => (await rename(set, ann)).errors?.map(({ message }) => message);
    // One is taken in the hidden scope, the other is free.
    expect(await told('slug: "x"')).toEqual(await told('slug: "z"'));
    expect((await told('slug: "z"'))?.[0]).toContain("who writes one of them needs the right to read the others");
    expect(await rename('tenant: "c", slug: "z"', ann)).toEqual({ data: { updateCard: { numUids: 1 } } });
    expect((await rename('slug: "w"', chief)).data).toEqual({ updateCard: { numUids: 1 } });
    // A get by a part that is hidden finds nothing.
    expect(await ask('{ getCard(tenant: "a", slug: "x") { number } }', ann)).toEqual({ data: { getCard: null } });
    expect(await ask('{ getCard(tenant: "a", slug: "x") { number } }', chief)).toEqual({ data: { getCard: { number: 1 } } });
  });
});

/** Each tenant works alone: a header says which one. Objects get the caller's tenant, and others are not there. */
function tenantPlugin(): DirectivePlugin {
  return {
    name: "tenant",
    definitions: "directive @tenant on FIELD_DEFINITION",
    model({ uses, record }) {
      const fields = uses("tenant").flatMap(({ field }) => (field?.role === "value" ? [field] : []));
      if (fields.length === 0) return undefined;
      for (const field of fields) record.optionalOnAdd(field);
      return {
        request: ({ headers }) => {
          if (headers["x-tenant"] === undefined) throw new QuernError("REQUEST_REFUSED", "say which tenant asks: x-tenant");
          return { tenant: headers["x-tenant"] };
        },
        narrow: (type, _purpose, { facts }) => {
          const field = fields.find(({ owner }) => owner === type);
          return field && { kind: "compare", field: field.stored, op: "eq", operands: [String(facts.tenant)] };
        },
        values: ({ type, role }, { facts }) => {
          const field = fields.find(({ owner }) => owner === type);
          return field && role !== "remove" && role !== "set" ? { values: new Map([[field.name, String(facts.tenant)]]) } : undefined;
        },
      };
    },
  };
}

describe("a scope that a plugin gives", () => {
  const schema = `type Doc { tenant: String! @tenant  slug: String! @id(within: ["tenant"])  text: String  see: [Doc] }`;

  it("is part of the keys of adds, upserts and references, and a get names it", async () => {
    const { ask } = await deploy(schema, {}, { plugins: [...standardPlugins(), tenantPlugin()] });
    const of = (tenant: string) => ({ "x-tenant": tenant });
    const add = (tenant: string, input: string, options = "") =>
      ask(`mutation { addDoc(input: [${input}]${options}) { doc { text see { text } } } }`, of(tenant));
    await add("a", '{ slug: "readme", text: "A" }');
    expect(await add("b", '{ slug: "readme", text: "B" }')).toEqual({ data: { addDoc: { doc: [{ text: "B", see: [] }] } } });
    expect(await add("b", '{ slug: "readme", text: "B2" }', ", upsert: true")).toEqual({ data: { addDoc: { doc: [{ text: "B2", see: [] }] } } });
    expect(await add("a", '{ slug: "one", text: "1", see: [{ slug: "readme" }] }')).toEqual({
      data: { addDoc: { doc: [{ text: "1", see: [{ text: "A" }] }] } },
    });
    // What a client says of another tenant does not count.
    expect(await add("a", '{ tenant: "b", slug: "readme", text: "A2" }', ", upsert: true")).toEqual({
      data: { addDoc: { doc: [{ text: "A2", see: [] }] } },
    });
    const get = (asker: string, tenant: string) => ask(`{ getDoc(tenant: "${tenant}", slug: "readme") { text } }`, of(asker));
    expect(await get("a", "a")).toEqual({ data: { getDoc: { text: "A2" } } });
    expect(await get("b", "b")).toEqual({ data: { getDoc: { text: "B2" } } });
    expect(await get("a", "b")).toEqual({ data: { getDoc: null } });
  });
});

describe("a key of which the caller may not read a part", () => {
  const permissionsPlugin: DirectivePlugin = {
    name: "columns",
    definitions: "",
    model: () => ({
      permissions: ({ headers }) => ({
        mayRead: (name) => name !== headers["x-hidden"],
        checkWrites: ({ types }) => {
          if (headers["x-hidden"] !== undefined && types.includes("Space")) throw new QuernError("REQUEST_REFUSED", "no new spaces");
        },
      }),
    }),
  };
  const schema = `
    type Doc { tenant: String!  slug: String! @id(within: ["tenant"])  label: String @id(within: ["space"])  space: Space  text: String  see: Doc }
    type Space { name: String! @id }`;

  it.each(["Doc.slug", "Doc.tenant"])("names nothing where %s is unreadable, and stays unique", async (hidden) => {
    const { ask } = await deploy(schema, {}, { plugins: [...standardPlugins(), permissionsPlugin] });
    await ask('mutation { addDoc(input: [{ tenant: "a", slug: "x", text: "A" }]) { numUids } }');
    const get = (headers: Record<string, string>) => ask('{ getDoc(tenant: "a", slug: "x") { text } }', headers);
    expect(await get({})).toEqual({ data: { getDoc: { text: "A" } } });
    expect(await get({ "x-hidden": hidden })).toEqual({ data: { getDoc: null } });
    const add = (doc: string) => ask(`mutation { addDoc(input: [${doc}]) { numUids } }`, { "x-hidden": hidden });
    expect((await add('{ tenant: "a", slug: "x" }')).data).toEqual({ addDoc: null });
    expect((await add('{ tenant: "b", slug: "y", see: { tenant: "a", slug: "x" } }')).data).toEqual({ addDoc: null });
    expect((await add('{ tenant: "b", slug: "x" }')).data).toEqual({ addDoc: { numUids: 1 } });
  });

  it.each(["Doc.label", "Doc.space", "Space.name"])("finds nothing by a link where %s is unreadable", async (hidden) => {
    const { ask } = await deploy(schema, {}, { plugins: [...standardPlugins(), permissionsPlugin] });
    await ask('mutation { addDoc(input: [{ tenant: "a", slug: "x", label: "l", space: { name: "s" }, text: "A" }]) { numUids } }');
    const get = (headers: Record<string, string>) => ask('{ getDoc(label: "l", space: { name: "s" }) { text } }', headers);
    expect(await get({})).toEqual({ data: { getDoc: { text: "A" } } });
    expect(await get({ "x-hidden": hidden })).toEqual({ data: { getDoc: null } });
  });
});
