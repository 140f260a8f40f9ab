// Keys within a scope, written by several servers on one database.

import { expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";

const schema = `
  type Space { name: String! @id  docs: [Doc] @hasInverse(field: space) }
  type Doc { slug: String! @id(within: ["space"])  space: Space  text: String }
  type Note { tenant: String!  slug: String! @id(within: ["tenant"])  text: String }
`;

async function servers(count: number): Promise<readonly Kernel[]> {
  const place = await mongodbPlace();
  const all = Array.from({ length: count }, () => createKernel({ storage: place.storage(), plugins: [identityPlugin()], log: { level: "silent" } }));
  onTestFinished(async () => {
    await Promise.all(all.map((each) => each.close()));
    await place.remove();
  });
  const [first] = all;
  await first?.open();
  await first?.deploy(schema);
  for (const each of all.slice(1)) await each.open();
  return all;
}

async function answerOf(
  kernel: Kernel | undefined,
  query: string,
): Promise<{ readonly data?: Record<string, unknown>; readonly errors?: readonly unknown[] }> {
  if (!kernel) throw new Error("no such server");
  return JSON.parse((await kernel.execute({ query })).body);
}

it("gives a key one holder in each scope, and one object to the upserts of all servers", async () => {
  const all = await servers(3);
  const at = (i: number) => all[i % all.length];
  const scopes = ["a", "b"];
  for (const name of scopes) await answerOf(at(0), `mutation { addSpace(input: [{ name: "${name}" }]) { numUids } }`);
  const times = <T>(count: number, work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, i) => work(i)));
  const docs = await times(48, (i) =>
    answerOf(at(i), `mutation { addDoc(input: [{ slug: "s${i % 4}", space: { name: "${scopes[i % 2]}" }, text: "${i}" }]) { numUids } }`),
  );
  expect(docs.filter(({ errors }) => errors === undefined)).toHaveLength(4);
  const notes = await times(48, (i) =>
    answerOf(at(i), `mutation { addNote(input: [{ slug: "s${i % 3}", tenant: "${scopes[i % 2]}" }]) { numUids } }`),
  );
  expect(notes.filter(({ errors }) => errors === undefined)).toHaveLength(6);
  const upserts = await times(24, (i) =>
    answerOf(at(i), `mutation { addNote(input: [{ slug: "up", tenant: "${scopes[i % 2]}", text: "${i}" }], upsert: true) { numUids } }`),
  );
  expect(upserts.flatMap(({ errors = [] }) => errors)).toEqual([]);
  const { data } = await answerOf(
    at(1),
    '{ aggregateDoc { count } aggregateNote { count } getDoc(slug: "s0", space: { name: "a" }) { space { name } } }',
  );
  expect(data).toEqual({ aggregateDoc: { count: 4 }, aggregateNote: { count: 8 }, getDoc: { space: { name: "a" } } });
});
