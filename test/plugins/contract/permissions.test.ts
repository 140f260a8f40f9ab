// `permissions`: a plugin says which fields and links a request may read and write.

import { afterEach, describe, expect, it } from "vitest";
import { QuernError, type SubscriptionObserver } from "../../../core/index.ts";
import type { DirectivePlugin, Permissions } from "../../../core/plugin.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { secretPlugin } from "../../../plugins/secret/index.ts";
import { subscriptionPlugin } from "../../../plugins/subscription/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../../support/kernel.ts";

const schema = `
  interface Named { name: String! @id  note: String @search(by: [exact]) }
  type Ship implements Named @withSubscription { tons: Int @search  flags: [String]  port: Port  captain: Captain }
  type Ferry implements Named { cars: Int }
  type Port { code: String! @id  depth: Float @search  ships: [Ship] @hasInverse(field: port) }
  type Captain @secret(field: "pin") { login: String! @id  ship: Ship @hasInverse(field: captain) }
`;

/** The caller names what it may read and write: `x-read: Ship.tons Named.name`. A header of another value refuses it. */
function wishesPlugin(): DirectivePlugin {
  const known = new Map<string, Permissions>();
  return {
    name: "wishes",
    definitions: "",
    model: () => ({
      permissions({ headers: { "x-read": read, "x-write": write = "" } }) {
        if (read === undefined) return undefined;
        if (read === "nobody") throw new QuernError("REQUEST_REFUSED", "who are you?");
        const key = `${read}|${write}`;
        const made = known.get(key) ?? permissionsOf(read.split(" "), write.split(" "));
        known.set(key, made);
        return made;
      },
    }),
  };
}

function permissionsOf(read: readonly string[], write: readonly string[]): Permissions {
  return {
    mayRead: (name) => read.includes(name),
    checkWrites({ types, names }) {
      const refused = [...types, ...names].filter((name) => !write.includes(name) && !write.includes("all"));
      if (refused.length > 0) throw new QuernError("REQUEST_REFUSED", `not allowed to write ${refused.join(" ")}`);
    },
  };
}

let running: TemporaryKernel | undefined;
afterEach(async () => {
  await running?.remove();
  running = undefined;
});

async function start() {
  const plugins = [identityPlugin(), searchPlugin(), secretPlugin(), subscriptionPlugin(), wishesPlugin()];
  running = await compatibleKernel({ plugins });
  const { kernel } = running;
  await kernel.deploy(schema);
  const ask = async (query: string, read?: string, write?: string) => {
    const headers = { ...(read !== undefined && { "x-read": read }), ...(write !== undefined && { "x-write": write }) };
    const { data, errors = [] } = JSON.parse((await kernel.execute({ query, headers })).body);
    return errors.length === 0 ? data : { data, errors: errors.map(({ message, path }: Shown) => [message, path?.join(".")].join(" @ ")) };
  };
  await ask(`mutation { addPort(input: [{ code: "KIL", depth: 9.5, ships: [
    { name: "Ada", tons: 20, note: "old", flags: ["DE"], captain: { login: "cap", pin: "123456" } }, { name: "Bob", tons: 10 }] }, { code: "LUB" }]) { numUids }
    addFerry(input: [{ name: "Fie", cars: 5, note: "new" }]) { numUids } }`);
  return { ask, kernel };
}

interface Shown {
  readonly message: string;
  readonly path?: readonly (string | number)[];
}

const missing = (field: string) =>
  `Non-nullable field '${field}' (type String!) was not present in result from Dgraph.  GraphQL error propagation triggered.`;

describe("a field that a request may not read", () => {
  it("has no value, and its links lead nowhere", async () => {
    const { ask } = await start();
    expect(await ask("{ queryShip(order: { asc: name }) { name tons flags port { code } captain { login } } }", "Named.name Ship.captain")).toEqual({
      data: {
        queryShip: [
          { name: "Ada", tons: null, flags: [], port: null, captain: null },
          { name: "Bob", tons: null, flags: [], port: null, captain: null },
        ],
      },
      errors: [`${missing("login")} @ queryShip.0.captain.login`],
    });
    expect(await ask("{ queryShip { __typename } queryPort { ships { name } shipsAggregate { count } } }", "")).toEqual({
      queryShip: [{ __typename: "Ship" }, { __typename: "Ship" }],
      queryPort: [
        { ships: [], shipsAggregate: { count: null } },
        { ships: [], shipsAggregate: { count: null } },
      ],
    });
  });

  it("is null where it is non-null, which propagates as ever", async () => {
    const { ask } = await start();
    const errors = [`${missing("name")} @ queryShip.0.name`, `${missing("name")} @ queryShip.1.name`];
    expect(await ask("{ queryShip { name } }", "Ship.tons")).toEqual({ data: { queryShip: [null, null] }, errors });
  });

  it("is ignored in filters, orders and @cascade", async () => {
    const { ask } = await start();
    const names = { queryShip: [{ name: "Ada" }, { name: "Bob" }] };
    const read = "Named.name Port.code";
    for (const filter of [
      "{ tons: { gt: 15 } }",
      "{ not: { tons: { gt: 15 } } }",
      "{ has: tons }",
      "{ has: [port, tons] }",
      "{ and: [{ tons: { lt: 0 } }, { not: { has: port } }] }",
    ])
      expect(await ask(`{ queryShip(filter: ${filter}) { name } }`, read), filter).toEqual(names);
    expect(await ask('{ queryShip(filter: { name: { eq: "Bob" }, or: { tons: { gt: 15 } } }) { name } }', read)).toEqual({
      queryShip: [{ name: "Bob" }],
    });
    expect(await ask('{ queryShip(filter: { tons: { gt: 15 }, or: { name: { eq: "Bob" } } }) { name } }', read)).toEqual({
      queryShip: [{ name: "Bob" }],
    });
    expect(await ask("{ queryShip(order: { asc: tons }) { name } }", read)).toEqual(names);
    expect(await ask("{ queryShip(order: { asc: tons, then: { desc: name } }, first: 1) { name } }", read)).toEqual({ queryShip: [{ name: "Bob" }] });
    expect(await ask("{ queryShip @cascade { name note tons port { depth } } }", read)).toEqual({
      queryShip: [
        { name: "Ada", note: null, tons: null, port: null },
        { name: "Bob", note: null, tons: null, port: null },
      ],
    });
  });

  it("finds nothing as a key, neither by get nor by a password check", async () => {
    const { ask } = await start();
    expect(await ask('{ getShip(name: "Ada") { tons } }', "Ship.tons")).toEqual({ getShip: null });
    expect(await ask('{ getNamed(name: "Ada") { note } }', "Named.note")).toEqual({ getNamed: null });
    expect(await ask('{ getShip(name: "Ada") { tons } }', "Ship.tons Named.name")).toEqual({ getShip: { tons: 20 } });
    const check = '{ checkCaptainPassword(login: "cap", pin: "123456") { __typename } }';
    expect(await ask(check, "Captain.login")).toEqual({ checkCaptainPassword: null });
    expect(await ask(check, "Captain.pin")).toEqual({ checkCaptainPassword: null });
    expect(await ask(check, "Captain.login Captain.pin")).toEqual({ checkCaptainPassword: { __typename: "Captain" } });
  });

  it("has no aggregate, beside the count of all nodes", async () => {
    const { ask } = await start();
    const query = "{ aggregateShip(filter: { tons: { gt: 15 } }) { count tonsMax nameMin } queryPort { shipsAggregate { count tonsSum } } }";
    expect(await ask(query, "Named.name Port.ships")).toEqual({
      aggregateShip: { count: 2, tonsMax: null, nameMin: "Ada" },
      queryPort: [{ shipsAggregate: { count: 2, tonsSum: null } }, { shipsAggregate: { count: 0, tonsSum: null } }],
    });
  });

  it("is readable by the name of the interface that declares it", async () => {
    const { ask } = await start();
    expect(await ask("{ queryNamed(order: { asc: name }) { name note ... on Ferry { cars } } }", "Named.name Ferry.cars")).toEqual({
      queryNamed: [
        { name: "Ada", note: null },
        { name: "Bob", note: null },
        { name: "Fie", note: null, cars: 5 },
      ],
    });
  });
});

describe("a mutation", () => {
  const refused = (field: string, names: string, key = field) => ({
    data: { [key]: null },
    errors: [`mutation ${field} failed because Dgraph execution failed because not allowed to write ${names} @ ${key}`],
  });

  it("writes what its input names: new nodes, fields, both ends of links", async () => {
    const { ask } = await start();
    const add = 'mutation { addShip(input: [{ name: "Cid", tons: 1, note: null, port: { code: "LUB" } }]) { numUids } }';
    expect(await ask(add, "Port.code", "")).toEqual(refused("addShip", "Ship Named.name Ship.tons Ship.port Port.ships"));
    expect(await ask(add, "Port.code", "Ship Named.name Ship.tons Ship.port")).toEqual(refused("addShip", "Port.ships"));
    expect(await ask(add, "Port.code", "Ship Named.name Ship.tons Ship.port Port.ships")).toEqual({ addShip: { numUids: 1 } });
    const nested = 'mutation { addShip(input: [{ name: "Dan", port: { code: "NEW", depth: 1 } }]) { numUids } }';
    expect(await ask(nested, "", "Ship Named.name Ship.port Port.ships")).toEqual(refused("addShip", "Port Port.code Port.depth"));
    expect(await ask("{ queryShip(order: { asc: name }) { name } queryPort { code } }")).toEqual({
      queryShip: [{ name: "Ada" }, { name: "Bob" }, { name: "Cid" }],
      queryPort: [{ code: "KIL" }, { code: "LUB" }],
    });
  });

  it("is refused also where it would change nothing", async () => {
    const { ask } = await start();
    const update = (patch: string) => `mutation { updateShip(input: { filter: { name: { eq: "none" } }, ${patch} }) { numUids } }`;
    expect(await ask(update("set: { tons: 20 }"), "Named.name", "")).toEqual(refused("updateShip", "Ship.tons"));
    expect(await ask(update("remove: { note: null, port: null }"), "Named.name", "")).toEqual(
      refused("updateShip", "Named.note Ship.port Port.ships"),
    );
    expect(await ask(update("set: { tons: 20 }"), "Named.name", "Ship.tons")).toEqual({ updateShip: { numUids: 0 } });
    const upsert = 'mutation { addShip(input: [{ name: "Ada", tons: 20 }], upsert: true) { numUids } }';
    expect(await ask(upsert, "", "Named.name")).toEqual(refused("addShip", "Ship.tons"));
  });

  it("deletes only what the request may write whole, the links that lead there included", async () => {
    const { ask } = await start();
    const remove = 'mutation { deletePort(filter: { code: { eq: "LUB" } }) { msg } }';
    expect(await ask(remove, "Port.code", "Port Port.code Port.depth Port.ships")).toEqual(refused("deletePort", "Ship.port"));
    expect(await ask(remove, "Port.code", "Port Port.code Port.depth Port.ships Ship.port")).toEqual({ deletePort: { msg: "Deleted" } });
    const named = 'mutation { deleteNamed(filter: { name: { eq: "Fie" } }) { msg } }';
    expect(await ask(named, "Named.name", "Named.name Named.note")).toEqual(refused("deleteNamed", "Ferry Ferry.cars"));
    expect(await ask(named, "Named.name", "Named.name Named.note Ferry Ferry.cars")).toEqual({ deleteNamed: { msg: "Deleted" } });
  });

  it("matches nothing by a filter on a field that the request may not read, in whatever form", async () => {
    const { ask } = await start();
    for (const filter of [
      "{ tons: { lt: 15 } }",
      "{ not: { tons: { lt: 0 } } }",
      '{ name: { eq: "Ada" }, or: { tons: { lt: 0 } } }',
      "{ not: { has: tons } }",
      "{ and: [{ or: [{ has: [note, tons] }] }] }",
    ]) {
      const update = `mutation { updateShip(input: { filter: ${filter}, set: { note: "seen" } }) { numUids } deleteShip(filter: ${filter}) { msg numUids } }`;
      expect(await ask(update, "Named.name Named.note", "all"), filter).toEqual({
        updateShip: { numUids: 0 },
        deleteShip: { msg: "No nodes were deleted", numUids: 0 },
      });
    }
  });

  it("keeps keys unique whatever the request may read, and refers to a node by a key that it may read", async () => {
    const { ask } = await start();
    const add = await ask('mutation { addShip(input: [{ name: "Ada" }]) { numUids } }', "", "all");
    expect(add.errors).toEqual([
      "couldn't rewrite mutation addShip because failed to rewrite mutation payload because id Ada already exists for field name inside type Ship @ addShip",
    ]);
    const refer = 'mutation { addPort(input: [{ code: "NEW", ships: [{ name: "Ada" }] }]) { numUids port { ships { name } } } }';
    expect(await ask(refer, "", "all")).toEqual({
      data: { addPort: null },
      errors: [expect.stringContaining("id Ada already exists for field name inside type Ship")],
    });
    expect(await ask('{ getPort(code: "NEW") { code } }')).toEqual({ getPort: null });
    expect(await ask(refer, "Named.name", "all")).toEqual({ addPort: { numUids: 1, port: [{ ships: [] }] } });
    expect(await ask('{ getPort(code: "NEW") { ships { name } } }')).toEqual({ getPort: { ships: [{ name: "Ada" }] } });
  });
});

describe("a request that the hook refuses", () => {
  it("gets the reason for each field and no data; introspection is answered", async () => {
    const { ask } = await start();
    const reason = "Dgraph query failed because Dgraph execution failed because who are you?";
    expect(await ask("{ a: queryShip { name } aggregatePort { count } }", "nobody")).toEqual({
      data: undefined,
      errors: [`${reason} @ a`, `${reason} @ aggregatePort`],
    });
    expect(await ask("{ __typename queryShip { name } }", "nobody")).toEqual({ data: { __typename: "Query" }, errors: [`${reason} @ queryShip`] });
    expect(await ask('{ __type(name: "Ship") { name } }', "nobody")).toEqual({ __type: { name: "Ship" } });
  });

  it("writes nothing", async () => {
    const { ask } = await start();
    const answer = await ask('mutation { deleteShip(filter: {}) { msg } addPort(input: [{ code: "X" }]) { numUids } }', "nobody");
    expect(answer).toEqual({
      data: { deleteShip: null },
      errors: [
        "mutation deleteShip failed because Dgraph execution failed because who are you? @ deleteShip",
        "Mutation addPort was not executed because of a previous error. @ addPort",
      ],
    });
    expect(await ask("{ aggregateShip { count } aggregatePort { count } }")).toEqual({ aggregateShip: { count: 2 }, aggregatePort: { count: 2 } });
  });

  it("cannot subscribe", async () => {
    const { kernel } = await start();
    const ended = await new Promise((resolve) => {
      const subscriber: SubscriptionObserver = { next: resolve, ready: () => true, end: resolve };
      kernel.subscribe({ query: "subscription { queryShip { name } }", headers: { "x-read": "nobody" } }, subscriber);
    });
    expect(ended).toMatchObject({
      kind: "refused",
      errors: [{ message: "Dgraph query failed because Dgraph execution failed because who are you?" }],
    });
  });
});

it("a hook that returns something else is an internal error that names the plugin", async () => {
  const plugin = { name: "odd", definitions: "", model: () => ({ permissions: () => ({ mayRead: true }) }) } as unknown as DirectivePlugin;
  running = await compatibleKernel({ plugins: [plugin] });
  await running.kernel.deploy("type A { b: String }");
  const { body } = await running.kernel.execute({ query: "{ queryA { b } }" });
  expect(JSON.parse(body).errors).toEqual([{ message: expect.stringContaining("Internal") }]);
});
