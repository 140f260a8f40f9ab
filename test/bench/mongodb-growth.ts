// What each kind of request costs on MongoDB as the data grow by factors of ten, in processor time of Quern and of `mongod`.
// Run: npx tsx test/bench/mongodb-growth.ts --nodes 10000,100000,1000000. Needs a mongod as the specs do (test/support/find-mongod.ts), or takes one by `--uri`,
// where the data stay for the next run.

import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { MongoClient } from "mongodb";
import { mongodbStorage } from "../../adapters/mongodb/index.ts";
import { bulkWriter } from "../../adapters/transfer/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { startReplicaSet } from "../support/mongod.ts";
import { databaseSeconds } from "./mongodb-servers.ts";
import { printTable, whole } from "./table.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "10000,100000,1000000" },
    rounds: { type: "string", default: "500" },
    /** The layout for sharded clusters. */
    sharded: { type: "boolean", default: false },
    /** What mongod may hold in memory. */
    "cache-mb": { type: "string" },
    /** A replica set of one member that runs. */
    uri: { type: "string" },
  },
});
const sizes = values.nodes.split(",").map(Number);
const rounds = Number(values.rounds);

const schema = `
  type Item { id: ID! name: String! @id group: String @search(by: [hash]) size: Int @search maker: Maker @hasInverse(field: items) }
  type Maker { id: ID! name: String! @id items: [Item] @search }
`;

/** Groups and makers have 100 items at every size, so that an answer is as long. */
const perGroup = 100;
const perTransaction = 1_000;

interface Request {
  readonly what: string;
  readonly query: string;
  readonly variables: (index: number, nodes: number) => Readonly<Record<string, unknown>>;
}

/** Far apart, in an order that does not follow the data. */
const somewhere = (index: number, count: number) => (index * 7_919 + 13) % count;
const someGroup = (index: number, nodes: number) => ({ group: `group-${somewhere(index, nodes / perGroup)}` });
let added = 0;
const run = Date.now().toString(36);

const requests: readonly Request[] = [
  {
    what: "by key",
    query: "query ($name: String!) { getItem(name: $name) { name size } }",
    variables: (index, nodes) => ({ name: `item-${somewhere(index, nodes)}` }),
  },
  {
    what: "filter, order, first ten, nested",
    query: "query ($group: String!) { queryItem(filter: { group: { eq: $group } }, order: { desc: size }, first: 10) { name size maker { name } } }",
    variables: someGroup,
  },
  {
    what: "order of all, first ten",
    query: "query ($offset: Int) { queryItem(order: { desc: size }, first: 10, offset: $offset) { name size } }",
    variables: (index) => ({ offset: index % 97 }),
  },
  {
    what: "a node with its list",
    query: "query ($name: String!) { getMaker(name: $name) { name items(first: 10) { name size } } }",
    variables: (index, nodes) => ({ name: `maker-${somewhere(index, nodes / perGroup)}` }),
  },
  {
    what: "aggregate of a group",
    query: "query ($group: String!) { aggregateItem(filter: { group: { eq: $group } }) { count sizeMax sizeAvg } }",
    variables: someGroup,
  },
  {
    what: "an order by two fields, first ten",
    query: "query ($offset: Int) { queryItem(order: { asc: group, then: { desc: size } }, first: 10, offset: $offset) { name size } }",
    variables: (index) => ({ offset: index % 97 }),
  },
  {
    what: "has a list, first ten",
    query: "query ($offset: Int) { queryMaker(filter: { has: items }, first: 10, offset: $offset) { name } }",
    variables: (index) => ({ offset: index % 97 }),
  },
  {
    what: "some of a list, first ten",
    query: "query ($size: Int) { queryMaker(filter: { items: { some: { size: { lt: $size } } } }, first: 10) { name } }",
    variables: (index) => ({ size: 100_000 + index }),
  },
  {
    what: "@cascade, first five",
    query: "query ($offset: Int) { queryMaker(first: 5, offset: $offset) @cascade { name items(first: 3) { name size } } }",
    variables: (index) => ({ offset: index % 97 }),
  },
  { what: "count of all", query: "{ aggregateItem { count } }", variables: () => ({}) },
  {
    what: "add",
    query: "mutation ($input: [AddItemInput!]!) { addItem(input: $input) { item { name } } }",
    variables: (index, nodes) => ({
      input: [{ name: `added-${run}-${added++}`, group: "added", size: index, maker: { name: `maker-${somewhere(index, nodes / perGroup)}` } }],
    }),
  },
  {
    what: "update by key",
    query: "mutation ($name: String!, $size: Int) { updateItem(input: { filter: { name: { eq: $name } }, set: { size: $size } }) { item { size } } }",
    variables: (index, nodes) => ({ name: `item-${somewhere(index, nodes)}`, size: index }),
  },
];

/** Of one request or node. */
interface Cost {
  /** Processor time. */
  readonly quernMs: number;
  readonly mongodMs: number;
  /** Keys of indexes and documents that MongoDB has looked at. */
  readonly keys: number;
  readonly documents: number;
}

const unknown: Cost = { quernMs: Number.NaN, mongodMs: Number.NaN, keys: Number.NaN, documents: Number.NaN };

const cacheMb = values["cache-mb"] === undefined ? undefined : Number(values["cache-mb"]);
const set = values.uri === undefined ? await startReplicaSet({ cacheMb }) : { uri: values.uri, stop: async () => {} };
const client = new MongoClient(set.uri);
try {
  const columns: (readonly Cost[])[] = [];
  for (const nodes of sizes) columns.push(await measureSize(nodes));
  const names = ["load, for each node", ...requests.map(({ what }) => what)];
  const times = ({ quernMs, mongodMs }: Cost) => `${quernMs.toFixed(3)} + ${mongodMs.toFixed(3)}`;
  const reads = ({ keys, documents }: Cost) => `${keys.toFixed(1)} + ${documents.toFixed(1)}`;
  const rowsOf = (shown: (cost: Cost) => string) => names.map((name, row) => [name, ...columns.map((column) => shown(column[row] ?? unknown))]);
  console.log();
  printTable(["ms of processor, Quern + mongod", ...sizes.map(whole)], rowsOf(times));
  printTable(["examined, keys + documents", ...sizes.map(whole)], rowsOf(reads));
} finally {
  await client.close();
  await set.stop();
}

async function measureSize(nodes: number): Promise<readonly Cost[]> {
  const database = `growth-${nodes}`;
  const plugins = [identityPlugin(), searchPlugin()];
  const kernel = createKernel({ storage: mongodbStorage({ uri: set.uri, database, sharded: values.sharded }), plugins, log: { level: "silent" } });
  await kernel.open();
  try {
    await kernel.deploy(schema);
    const isLoaded = (await client.db(database).collection("Item").estimatedDocumentCount()) >= nodes;
    const loading = isLoaded ? unknown : await costOf(1, () => fill(kernel, nodes));
    const { dataSize, storageSize, indexSize } = await client.db(database).stats();
    const bytesOf = (bytes: number) => `${(bytes / nodes).toFixed(0)} bytes`;
    console.log(`${whole(nodes)} nodes: document ${bytesOf(dataSize)}, compressed ${bytesOf(storageSize)}, indexes ${bytesOf(indexSize)} a node`);
    const costs: Cost[] = [dividedBy(loading, nodes)];
    for (const request of requests) costs.push(await measureRequest(kernel, request, nodes));
    return costs;
  } finally {
    await kernel.close();
    if (values.uri === undefined) await client.db(database).dropDatabase();
  }
}

async function fill(kernel: Kernel, nodes: number): Promise<void> {
  const makers = Array.from({ length: nodes / perGroup }, (_, index) => ({ name: `maker-${index}` }));
  for (let from = 0; from < makers.length; from += perTransaction) await create(kernel, "Maker", makers.slice(from, from + perTransaction));
  const began = performance.now();
  for (let from = 0; from < nodes; from += perTransaction) {
    const count = Math.min(perTransaction, nodes - from);
    await create(
      kernel,
      "Item",
      Array.from({ length: count }, (_, i) => itemOf(from + i, nodes)),
    );
    const done = from + count;
    if (done % 500_000 === 0) console.log(`${whole(done)} items, ${whole((done / (performance.now() - began)) * 1_000)} a second on average`);
  }
}

function itemOf(index: number, nodes: number) {
  const groups = nodes / perGroup;
  return {
    name: `item-${index}`,
    group: `group-${index % groups}`,
    size: (index * 7_919) % 1_000_003,
    maker: { name: `maker-${(index * 31) % groups}` },
  };
}

async function create(kernel: Kernel, type: string, objects: readonly unknown[]): Promise<void> {
  assert.ok(await bulkWriter(kernel, type)?.create(objects), `${type} is not plain`);
}

async function measureRequest(kernel: Kernel, { query, variables }: Request, nodes: number): Promise<Cost> {
  const run = async (index: number) => {
    const { body } = await kernel.execute({ query, variables: variables(index, nodes) });
    assert.ok(!body.includes('"errors"') && !body.includes("null"), body.slice(0, 300));
  };
  for (let index = 0; index < 100; index++) await run(index);
  return await costOf(rounds, async () => {
    for (let index = 100; index < 100 + rounds; index++) await run(index);
  });
}

async function costOf(count: number, work: () => Promise<void>): Promise<Cost> {
  const [used, database, examined] = [process.cpuUsage(), await databaseSeconds(client), await examinedSoFar()];
  await work();
  const { user, system } = process.cpuUsage(used);
  const mongodMs = ((await databaseSeconds(client)) - database) * 1_000;
  const { keys, documents } = await examinedSoFar();
  return dividedBy({ quernMs: (user + system) / 1_000, mongodMs, keys: keys - examined.keys, documents: documents - examined.documents }, count);
}

function dividedBy({ quernMs, mongodMs, keys, documents }: Cost, count: number): Cost {
  return { quernMs: quernMs / count, mongodMs: mongodMs / count, keys: keys / count, documents: documents / count };
}

async function examinedSoFar(): Promise<{ readonly keys: number; readonly documents: number }> {
  const { metrics } = await client.db("admin").command({ serverStatus: 1 });
  return { keys: Number(metrics.queryExecutor.scanned), documents: Number(metrics.queryExecutor.scannedObjects) };
}
