// Access control lists for callers whom the application names: the subject of its claims is the user.

import { afterEach, describe, expect, it } from "vitest";
import type { GraphQLRequest } from "../../../core/index.ts";
import { liveOn } from "../../support/live-clients.ts";
import { type AclServer, aclServer, prepared } from "./server.ts";

const schema = "type Boat @withSubscription { tag: String! @id  seats: Int }";
const rules = { reader: { "Boat.tag": 4 }, all: { "service.all": 7 } };
const boats = "{ queryBoat { tag seats } }";

let running: AclServer | undefined;
afterEach(async () => {
  await running?.remove();
  running = undefined;
});

async function start() {
  const server = await aclServer();
  running = server;
  const tokens = await prepared(server, schema, rules);
  const ask = async (query: string, request: Omit<GraphQLRequest, "query">) => {
    const { data, errors } = JSON.parse((await server.kernel.execute({ query, ...request })).body);
    return errors === undefined ? data : { data, errors };
  };
  await ask('mutation { addBoat(input: [{ tag: "a", seats: 4 }]) { numUids } }', { claims: { sub: "all" } });
  return { server, tokens, ask };
}

const whole = { queryBoat: [{ tag: "a", seats: 4 }] };
const tagOnly = { queryBoat: [{ tag: "a", seats: null }] };

describe("the subject of an application's claims", () => {
  it("is the user, with the rights of its groups; its token beside them does not count", async () => {
    const { ask, tokens } = await start();
    expect(await ask(boats, { claims: { sub: "all" } })).toEqual(whole);
    expect(await ask(boats, { claims: { sub: "reader" } })).toEqual(tagOnly);
    expect(await ask(boats, { claims: { sub: "groot" } })).toEqual(whole);
    const headers = { "x-service-accesstoken": tokens.all };
    expect(await ask(boats, { headers })).toEqual(whole);
    expect(await ask(boats, { headers, claims: { sub: "reader" } })).toEqual(tagOnly);
    expect(await ask("mutation { deleteBoat(filter: {}) { numUids } }", { claims: { sub: "reader" } })).toMatchObject({
      errors: [{ message: expect.stringContaining("unauthorized to mutate") }],
    });
  });

  it("has the groups of now, and not those of a login", async () => {
    const { server, tokens, ask } = await start();
    await server.admin(
      'mutation { updateUser(input: { filter: { name: { eq: "reader" } }, set: { groups: [{ name: "alls" }] } }) { user { name } } }',
      tokens.groot,
    );
    expect(await ask(boats, { claims: { sub: "reader" } })).toEqual(whole);
    expect(await ask(boats, { headers: { "x-service-accesstoken": tokens.reader } })).toEqual(tagOnly);
  });

  it.each([
    ["names nobody", { sub: "stranger" }, 'there is no user "stranger"'],
    ["is missing", { USER: "all" }, "the claims name no user"],
    ["is no text", { sub: 7 }, "the claims name no user"],
  ])("that %s is refused, and so is the operation, although the token beside it is valid", async (_what, claims, reason) => {
    const { ask, tokens } = await start();
    const refused = { errors: [{ message: expect.stringContaining(reason) }] };
    expect(await ask(boats, { claims, headers: { "x-service-accesstoken": tokens.all } })).toMatchObject(refused);
  });

  it("is the user of a live query, until the exp of the claims", async () => {
    const { server } = await start();
    const live = liveOn(server.kernel);
    const reader = await live.watch(`subscription ${boats}`, { claims: { sub: "reader" } });
    const over = await live.watch(`subscription ${boats}`, { claims: { sub: "reader", exp: 1 } });
    expect(reader.data).toEqual([tagOnly]);
    expect(over.ending).toMatchObject({ kind: "expired", limit: "token" });
    expect(reader.ending).toBeUndefined();
  });
});
