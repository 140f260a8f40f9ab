// Which queries leave the kernel's thread, and what their answers must keep: what the caller may see, what it has written, and the deployed schema.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { QuernError } from "../../core/index.ts";
import type { DirectivePlugin, Permissions } from "../../core/plugin.ts";
import { type TemporaryConfig, temporaryKernel } from "../support/kernel.ts";
import { ReadersHere } from "../support/readers-here.ts";

const boats = `
  type Boat { name: String! @id  seats: Int  crew: [Sailor] @hasInverse(field: boat) }
  type Sailor { name: String! @id  boat: Boat }
`;

async function withReaders(config: TemporaryConfig & { readonly text?: string; readonly fromCost?: number } = {}) {
  const { plugins = standardPlugins(), text = boats, fromCost = 0, ...rest } = config;
  const readers = new ReadersHere(plugins, fromCost);
  const { kernel, remove } = await temporaryKernel({ ...rest, plugins, readWorkers: readers });
  onTestFinished(() => remove());
  await kernel.deploy(text);
  const ask = async (query: string, variables?: Readonly<Record<string, unknown>>) =>
    JSON.parse((await kernel.execute({ query, ...(variables && { variables }) })).body);
  await ask(
    'mutation { addBoat(input: [{ name: "Heron", seats: 4, crew: [{ name: "Ada" }, { name: "Bo" }] }, { name: "Kite", seats: 2 }]) { numUids } }',
  );
  return { kernel, readers, ask };
}

describe("a worker", () => {
  it("answers queries of every stored shape, as the kernel itself does", async () => {
    const { readers, ask } = await withReaders();
    const queries = [
      "{ queryBoat(order: { asc: name }) { name seats crew { name boat { name } } } }",
      '{ getBoat(name: "Heron") { crewAggregate { count } } }',
      "{ aggregateBoat { count seatsSum: seatsMax } }",
      '{ queryBoat(filter: { name: { eq: "none" } }) { name } }',
      "{ a: queryBoat(first: 1) { name } b: querySailor(first: 1, offset: 1) { name } }",
    ];
    for (const query of queries) {
      const there = await ask(query);
      // The kernel answers what asks about the schema.
      const here = await ask(query.replace("{", "{ kind: __typename"));
      expect({ ...there, data: { kind: "Query", ...there.data } }).toEqual(here);
    }
    expect(readers.answered).toBe(queries.length);
  });

  it("answers with what was written before, also when a schema was deployed or data were dropped since", async () => {
    const { kernel, readers, ask } = await withReaders();
    await ask("{ queryBoat { name } }");
    await ask('mutation { updateBoat(input: { filter: { name: { eq: "Kite" } }, set: { seats: 3 } }) { numUids } }');
    expect(await ask('{ getBoat(name: "Kite") { seats } }')).toMatchObject({ data: { getBoat: { seats: 3 } } });
    await kernel.deploy(boats.replace("seats: Int", "seats: Int @search"));
    expect(await ask("{ queryBoat(filter: { seats: { ge: 3 } }, order: { asc: name }) { name } }")).toMatchObject({
      data: { queryBoat: [{ name: "Heron" }, { name: "Kite" }] },
    });
    await kernel.erase({ kind: "data" });
    expect(await ask("{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [] } });
    await ask('mutation { addBoat(input: [{ name: "Ibis" }]) { numUids } }');
    expect(await ask("{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [{ name: "Ibis" }] } });
    expect(readers.answered).toBe(5);
  });

  it("answers a long query that began in the kernel, whole", async () => {
    const { readers, ask } = await withReaders({ fromCost: Number.POSITIVE_INFINITY });
    const input = Array.from({ length: 4_000 }, (_, i) => ({ name: `Sailor ${i}` }));
    await ask("mutation ($input: [AddSailorInput!]!) { addSailor(input: $input) { numUids } }", { input });
    const fields = Array.from({ length: 40 }, (_, i) => `n${i}: name`).join(" ");
    const first = await ask(`{ querySailor { ${fields} boat { name } } }`);
    expect(readers.answered).toBe(1);
    expect(first.errors).toBeUndefined();
    expect(first.data.querySailor).toHaveLength(4_002);
    expect(first.extensions).toEqual({ touched_uids: 4_003 });
  });

  it("answers a query that becomes long between two of its root fields", async () => {
    const { readers, ask } = await withReaders({ fromCost: Number.POSITIVE_INFINITY });
    const input = Array.from({ length: 2_000 }, (_, i) => ({ name: `Sailor ${i}` }));
    await ask("mutation ($input: [AddSailorInput!]!) { addSailor(input: $input) { numUids } }", { input });
    // Each root field is short work, written in one go.
    const roots = Array.from({ length: 200 }, (_, i) => `a${i}: querySailor(first: 2000) { name }`).join(" ");
    const answer = await ask(`{ ${roots} }`);
    expect(readers.answered).toBe(1);
    expect(answer.errors).toBeUndefined();
    expect(Object.values(answer.data)).toHaveLength(200);
  });
});

describe("the kernel's thread", () => {
  it("keeps mutations, introspection, short queries, and what plugins answer", async () => {
    const { readers, ask } = await withReaders({ fromCost: Number.POSITIVE_INFINITY });
    await ask("{ queryBoat { name } }");
    await ask("{ __schema { queryType { name } } }");
    await ask('mutation { addBoat(input: [{ name: "Ibis" }]) { boat { name } } }');
    expect(readers.answered).toBe(0);
  });

  it("keeps every query of a schema that uses a plugin with a state of its own", async () => {
    let seen = 0;
    const counting: DirectivePlugin = {
      name: "counting",
      definitions: "directive @counted on OBJECT",
      mainThreadOnly: true,
      model: (context) => (context.uses("counted").length === 0 ? undefined : { narrow: () => void seen++ }),
    };
    const plugins = [...standardPlugins(), counting];
    const { kernel, readers, ask } = await withReaders({ plugins });
    await ask("{ queryBoat { name } }");
    expect(readers.answered).toBe(1);
    await kernel.deploy(boats.replace("type Boat", "type Boat @counted"));
    await ask("{ queryBoat { name } }");
    expect(readers.answered).toBe(1);
    expect(seen).toBeGreaterThan(0);
  });

  it("keeps every query when there are envelop plugins", async () => {
    const { readers, ask } = await withReaders({ envelop: [{}] });
    await ask("{ queryBoat { name } }");
    expect(readers.answered).toBe(0);
  });
});

it("a worker shows only the fields that the caller may read", async () => {
  const guest: Permissions = {
    mayRead: (name) => name !== "Boat.seats",
    checkWrites: () => undefined,
  };
  const rights: DirectivePlugin = {
    name: "rights",
    definitions: "",
    model: () => ({
      permissions: ({ headers }) => {
        if (headers.who === "nobody") throw new QuernError("REQUEST_REFUSED", "nobody may ask");
        return headers.who === "guest" ? guest : undefined;
      },
    }),
  };
  const { kernel, readers } = await withReaders({ plugins: [...standardPlugins(), rights] });
  const as = async (who: string) =>
    JSON.parse((await kernel.execute({ query: '{ getBoat(name: "Heron") { name seats } }', headers: { who } })).body).data;
  expect(await as("guest")).toEqual({ getBoat: { name: "Heron", seats: null } });
  expect(await as("captain")).toEqual({ getBoat: { name: "Heron", seats: 4 } });
  expect(await as("nobody")).toBeUndefined();
  expect(readers.answered).toBe(2);
});

it("limits hold in a worker, and a query whose client has gone ends", async () => {
  const { kernel, readers, ask } = await withReaders({ limits: { maxTouchedNodes: 30 } });
  const { errors } = await ask(`{ ${Array.from({ length: 20 }, (_, i) => `a${i}: queryBoat { name crew { name } }`).join(" ")} }`);
  expect(errors[0].message).toContain("limits.maxTouchedNodes");
  expect(await ask('{ getBoat(name: "Kite") { name } }')).toMatchObject({ data: { getBoat: { name: "Kite" } } });
  // A query that is not planned yet ends before it is.
  await ask("{ queryBoat { name } }");
  const gone = await kernel.execute({ query: "{ queryBoat { name } }", onGone: (listener) => listener() });
  expect(JSON.parse(gone.body)).toMatchObject({ errors: [{ message: "The client has gone." }] });
  expect(readers.answered).toBe(4);
});
