// How much memory a server with many namespaces takes, of which a few are in use all the time: `npx tsx test/bench/namespaces.ts [NAMESPACES] [HOT]`.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbNamespaces, leveldbStorage } from "../../adapters/level/index.ts";
import { namespacesKernel } from "../../adapters/namespaces/index.ts";
import { aclNamespaces } from "../../plugins/acl/index.ts";

const [all = 1_000, hot = 10] = process.argv.slice(2).map(Number);
const rounds = 20;
const secret = "a secret of the measurement: 0123456789abcdef";
const schema = `
  type Order @withSubscription { id: ID!  number: String! @id  total: Float @search  note: String @search(by: [term, fulltext])  lines: [Line] @hasInverse(field: order) }
  type Line { id: ID!  product: String! @search(by: [hash])  count: Int @search  order: Order }
`;

async function tokenOf(namespace: number): Promise<string> {
  const claims = { userid: "groot", groups: ["guardians"], namespace, exp: Math.floor(Date.now() / 1_000) + 36_000 };
  return await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(secret));
}

const path = await mkdtemp(join(tmpdir(), "quern-namespaces-"));
const options = { path, durability: "os-crash-may-lose-commits" } as const;
const acl = aclNamespaces({ secret });
const kernel = namespacesKernel(
  { storage: leveldbStorage(options), log: { level: "error" } },
  {
    stores: leveldbNamespaces(options),
    namespaceOf: acl.namespaceOf,
    configOf: (namespace, others) => ({ plugins: [...standardPlugins(), acl.plugin(namespace, others)] }),
  },
);

async function ask(url: string, query: string, namespace: number): Promise<string> {
  const headers = { "content-type": "application/json", "x-dgraph-accesstoken": await tokenOf(namespace) };
  const { body } = await kernel.http({ method: "POST", url, headers, body: Buffer.from(JSON.stringify({ query })), remoteAddress: "127.0.0.1" });
  const text = typeof body === "string" ? body : Buffer.from(body).toString();
  if (text.includes('"errors"')) throw new Error(text);
  return text;
}

const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
let most = 0;
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
const report = (what: string, begun: number) => {
  console.log(
    `${what}: ${Math.round(performance.now() - begun)} ms; resident ${megabytes(process.memoryUsage.rss())} MiB, at most ${megabytes(most)} MiB`,
  );
};

const orders = (namespace: number) =>
  Array.from(
    { length: 50 },
    (_, i) =>
      `{ number: "${namespace}-${i}", total: ${i}.5, note: "the order ${i} of namespace ${namespace}", lines: [{ product: "p${i % 7}", count: ${i} }] }`,
  );
const query =
  '{ queryOrder(filter: { total: { ge: 20 }, note: { anyofterms: "order" } }, order: { desc: total }, first: 10) { number total lines { product count } } }';

try {
  await kernel.open();
  let begun = performance.now();
  for (let i = 1; i <= all; i++) {
    await ask("/admin", "mutation { addNamespace { namespaceId } }", 0);
    await ask("/admin", `mutation { updateGQLSchema(input: { set: { schema: ${JSON.stringify(schema)} } }) { gqlSchema { id } } }`, i);
    await ask("/graphql", `mutation { addOrder(input: [${orders(i).join(", ")}]) { numUids } }`, i);
    if (i % 100 === 0) report(`${i} namespaces made`, begun);
  }
  begun = performance.now();
  for (let round = 0; round < rounds; round++) {
    for (let busy = 0; busy < 50; busy++) await Promise.all(Array.from({ length: hot }, (_, i) => ask("/graphql", query, i + 1)));
    // Others are visited now and then.
    for (let i = 0; i < 10; i++) await ask("/graphql", query, 1 + ((round * 997 + i * 131) % all));
  }
  report(`${rounds * 50 * hot} queries of ${hot} hot namespaces and ${rounds * 10} of others`, begun);
  const { namespaces, namespacesOpen } = kernel.gauges.read();
  console.log(`${namespaces} namespaces, ${namespacesOpen} open`);
} finally {
  clearInterval(watch);
  await kernel.close();
  await rm(path, { recursive: true, force: true });
}
