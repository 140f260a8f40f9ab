// Several servers of one database share users, groups and rules.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { createServerKernel } from "../../../adapters/server/index.ts";
import { aclPlugin } from "../../../plugins/acl/index.ts";
import { newPlace, storageName } from "../../support/storage.ts";
import { type AclServer, prepared, secret, withQuestions } from "./server.ts";

async function servers(count: number): Promise<readonly AclServer[]> {
  const place = await newPlace();
  const made: AclServer[] = [];
  onTestFinished(async () => {
    for (const { kernel } of made) await kernel.close();
    await place.remove();
  });
  for (let i = 0; i < count; i++) {
    const kernel = createServerKernel({ storage: place.storage(), plugins: [...standardPlugins(), aclPlugin({ secret })], log: { level: "silent" } });
    await kernel.open();
    made.push(withQuestions({ kernel, restart: () => Promise.reject(), remove: () => Promise.resolve() }));
  }
  return made;
}

// LevelDB has one server.
describe.runIf(storageName === "mongodb")("two servers on one database", () => {
  it("know a changed rule, for requests and for running subscriptions", async () => {
    const [one, other] = await servers(2);
    if (!one || !other) throw new Error("two servers");
    const { groot, reader } = await prepared(one, "type Boat @withSubscription { tag: String! @id  seats: Int }", { reader: { "Boat.tag": 4 } });
    await one.graphql('mutation { addBoat(input: [{ tag: "a", seats: 4 }]) { numUids } }', groot);
    await expect
      .poll(async () => (await other.graphql("{ queryBoat { tag seats } }", reader)).data)
      .toEqual({ queryBoat: [{ tag: "a", seats: null }] });
    const live = other.kernel.live({ query: "subscription { queryBoat { seats } }", headers: { "x-dgraph-accesstoken": String(reader) } });
    expect((await live.next()).value?.data).toEqual({ queryBoat: [{ seats: null }] });
    await one.admin(
      'mutation { updateGroup(input: { filter: { name: { eq: "readers" } }, set: { rules: [{ predicate: "Boat.seats", permission: 4 }] } }) { group { name } } }',
      groot,
    );
    expect((await live.next()).value?.data).toEqual({ queryBoat: [{ seats: 4 }] });
    expect((await other.graphql("{ queryBoat { tag seats } }", reader)).data).toEqual({ queryBoat: [{ tag: "a", seats: 4 }] });
    await live.return?.();
  });

  it("give a name to one user or one group, the one that was added first", async () => {
    const [one, other] = await servers(2);
    if (!one || !other) throw new Error("two servers");
    const groot = await one.token("groot");
    for (let i = 0; i < 10; i++) {
      const answers = await Promise.all([
        one.admin(`mutation { addUser(input: [{ name: "n${i}", password: "abcdef" }]) { user { name } } }`, groot),
        other.admin(`mutation { addGroup(input: [{ name: "n${i}" }]) { group { name } } }`, groot),
      ]);
      expect(answers.filter(({ errors }) => errors !== undefined)).toHaveLength(1);
    }
  });
});

it.runIf(storageName === "level")("covers one server on LevelDB", async () => {
  expect(await servers(1)).toHaveLength(1);
});
