// Rights on the predicates of an input come before what its keys find.

import { afterEach, expect, it } from "vitest";
import { type AclServer, aclServer, prepared } from "./server.ts";

const schema = `
  type P { id: ID!  name: String! @id  code: String! @id  score: Int @increment  note: String }
  type T { name: String! @id  vip: P  vips: [P] @nested }`;

const own = { "T.name": 6, "T.vip": 6, "T.vips": 6, "P.name": 6, "dgraph.type": 6 };
const rules = {
  // No right on P.code.
  none: { ...own, "P.score": 2, "P.note": 2 },
  reader: { ...own, "P.code": 4 },
  writer: { ...own, "P.code": 2 },
  unlinked: { "T.name": 6 },
};

let server: AclServer;
afterEach(() => server.remove());

async function start() {
  server = await aclServer();
  const tokens = await prepared(server, schema, rules);
  await server.graphql('mutation { addP(input: [{ name: "eve", code: "SSN-1", score: 40, note: "x" }]) { numUids } }', tokens.groot);
  return async (user: string, query: string) => {
    const { data, errors } = await server.graphql(query, tokens[user]);
    return { data, errors };
  };
}

const add = (code: string) => `mutation { addT(input: [{ name: "t", vip: { code: "${code}" } }]) { numUids t { vip { name } } } }`;
const denied = (...names: readonly string[]) => expect.stringContaining(`unauthorized to mutate following predicates: ${names.join(" ")} \n`);

it.each([
  ["a reference in an add", add],
  ["a new object below the top", (code: string) => `mutation { addT(input: [{ name: "t", vip: { name: "new", code: "${code}" } }]) { numUids } }`],
  ["an add", (code: string) => `mutation { addP(input: [{ name: "new", code: "${code}" }]) { numUids } }`],
  ["an upsert", (code: string) => `mutation { addP(input: [{ name: "eve", code: "${code}" }], upsert: true) { numUids } }`],
  ["a key in set", (code: string) => `mutation { updateP(input: { filter: { name: { eq: "eve" } }, set: { code: "${code}" } }) { numUids } }`],
  ["a reference in set", (code: string) => `mutation { updateT(input: { filter: {}, set: { vips: [{ code: "${code}" }] } }) { numUids } }`],
  ["a reference in remove", (code: string) => `mutation { updateT(input: { filter: {}, remove: { vips: [{ code: "${code}" }] } }) { numUids } }`],
])("%s by a key without a right on it is refused alike for a taken and a free key", async (_, query) => {
  const ask = await start();
  const [taken, free] = [await ask("none", query("SSN-1")), await ask("none", query("SSN-2"))];
  expect(taken).toEqual(free);
  expect(taken.errors).toEqual([expect.objectContaining({ message: denied("P.code") })]);
});

it("a reference resolves for who may read the key", async () => {
  const ask = await start();
  expect(await ask("reader", add("SSN-1"))).toEqual({ data: { addT: { numUids: 1, t: [{ vip: { name: "eve" } }] } }, errors: undefined });
  expect((await ask("reader", add("SSN-2").replace('"t"', '"u"'))).errors?.[0]?.message).toContain("type P requires a value for field name");
});

it("a reference finds nothing for who may only write the key, and no two objects get one key", async () => {
  const ask = await start();
  expect(await ask("writer", add("SSN-1"))).toEqual(await ask("writer", add("SSN-2")));
  const whole = (code: string) => `mutation { addT(input: [{ name: "t", vip: { name: "new", code: "${code}" } }]) { numUids t { vip { name } } } }`;
  expect((await ask("writer", whole("SSN-1"))).errors?.[0]?.message).toContain("id SSN-1 already exists for field code inside type P");
  expect((await ask("writer", whole("SSN-2"))).data).toEqual({ addT: { numUids: 2, t: [{ vip: { name: "new" } }] } });
});

it("an increment and a removal of a value that one may write and not read tell nothing of it", async () => {
  const ask = await start();
  const update = (patch: string) => `mutation { updateP(input: { filter: { name: { eq: "eve" } }, ${patch} }) { numUids } }`;
  expect((await ask("none", update("increment: { score: -50 }"))).errors?.[0]?.message).toContain("P.score: an increment needs the right to read");
  expect((await ask("none", update("set: { score: 41 }"))).errors).toBeUndefined();
  expect(await ask("none", update('remove: { note: "x" }'))).toEqual(await ask("none", update('remove: { note: "y" }')));
  expect((await ask("groot", '{ getP(name: "eve") { score note } }')).data).toEqual({ getP: { score: 41, note: "x" } });
});

it.each(["replace: []", "remove: {}"])(
  "%s of links without a right on them is refused alike where there are links and where there are none",
  async (step) => {
    const ask = await start();
    await ask("groot", 'mutation { addT(input: [{ name: "linked", vips: [{ code: "SSN-1" }] }, { name: "free" }]) { numUids } }');
    const answers = ["linked", "free"].map((name) =>
      ask("unlinked", `mutation { updateT(input: { filter: { name: { eq: "${name}" } }, links: { vips: { ${step} } } }) { numUids } }`),
    );
    const [linked, free] = await Promise.all(answers);
    expect(linked).toEqual(free);
    expect(linked?.errors).toEqual([expect.objectContaining({ message: denied("T.vips") })]);
  },
);
