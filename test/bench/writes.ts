// npx tsx test/bench/writes.ts: what one write costs on LevelDB, in process: time, processor, garbage, entries and bytes handed to the store; then reads
// by key, from memory and from the store. `--packages 60000` loads more of the graph first; `--only reads` leaves out the writes, `--only adds` all but
// adds. `--store FOLDER` keeps the loaded store there, and later runs start from a copy of it.

import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { LevelStore } from "../../adapters/level/level-store.ts";
import { type KeyRange, type OrderedStore, orderedStorage, type StoreOperation, type StoreView } from "../../adapters/ordered/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { type DebianPackage, extract, readPackages, schemaText, wholeGraph } from "./graph.ts";
import { printTable, whole } from "./table.ts";

const { values } = parseArgs({
  options: {
    packages: { type: "string", default: "20000" },
    only: { type: "string" },
    adds: { type: "string", default: "1600" },
    store: { type: "string" },
  },
});
const loaded = Number(values.packages);
const adds = Number(values.adds);
const clients = 32;
/** Half of the packages do not fit, so that reads by key go to the store. */
const smallCacheBytes = 2 << 20;

/** Counts what is handed to LevelDB. */
class CountingStore implements OrderedStore {
  readonly name = "level";
  readonly #store: LevelStore;
  operations = 0;
  bytes = 0;

  constructor(path: string) {
    this.#store = new LevelStore(path, { blockCacheBytes: 16 << 20 });
  }

  batch(operations: readonly StoreOperation[], options: { readonly sync: boolean }) {
    this.operations += operations.length;
    for (const each of operations) this.bytes += Buffer.byteLength(each.key) + (each.type === "put" ? each.value.byteLength : 0);
    return this.#store.batch(operations, options);
  }

  open = () => this.#store.open();
  close = () => this.#store.close();
  getSync = (key: string, view?: StoreView) => this.#store.getSync(key, view);
  getMany = (keys: readonly string[], view?: StoreView) => this.#store.getMany(keys, view);
  cursor = (range: KeyRange, view?: StoreView) => this.#store.cursor(range, view);
  view = () => this.#store.view();
  approximateSize = (range: KeyRange) => this.#store.approximateSize(range);
}

const addText = "mutation ($input: [AddPackageInput!]!) { addPackage(input: $input) { package { name version section installedSizeKiB } } }";

const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const kept = values.store !== undefined && existsSync(values.store) ? values.store : undefined;
if (kept !== undefined) cpSync(kept, join(folder, "store"), { recursive: true });
const store = new CountingStore(join(folder, "store"));

function kernelOf(cacheBytes: number): Kernel {
  return createKernel({ storage: orderedStorage(store, { cacheBytes }), plugins: standardPlugins(), log: { level: "silent" } });
}

const graph = wholeGraph() ?? extract();
const packages = await readPackages(graph);
const names = new Set(packages.slice(0, loaded).map(({ name }) => name));
let kernel = kernelOf(128 << 20);
await kernel.open();
if (kept === undefined) await makeStore();
if (values.only !== "reads") await printWrites();
if (values.only !== "adds") await printReads();
await kernel.close();

async function run(query: string, variables: Record<string, unknown> = {}): Promise<void> {
  const { body } = await kernel.execute({ query, variables });
  if (body.includes('"errors"')) throw new Error(body.slice(0, 500));
}

function inputOf({ dependsOn, recommends: _, maintainer, ...rest }: DebianPackage) {
  return { ...rest, maintainer: { email: maintainer.email }, dependsOn: dependsOn.filter((name) => names.has(name)).map((name) => ({ name })) };
}

async function makeStore(): Promise<void> {
  await kernel.deploy(schemaText(graph));
  await load();
  if (values.store === undefined) return;
  await kernel.close();
  cpSync(join(folder, "store"), values.store, { recursive: true });
  kernel = kernelOf(128 << 20);
  await kernel.open();
}

async function load(): Promise<void> {
  const began = performance.now();
  const maintainers = new Map(packages.map(({ maintainer }) => [maintainer.email, maintainer]));
  await run("mutation ($input: [AddMaintainerInput!]!) { addMaintainer(input: $input) { numUids } }", { input: [...maintainers.values()] });
  for (let i = 0; i < loaded; i += 1_000) {
    const input = packages.slice(i, Math.min(i + 1_000, loaded)).map((each) => ({ ...inputOf(each), dependsOn: [] }));
    await run("mutation ($input: [AddPackageInput!]!) { addPackage(input: $input) { numUids } }", { input });
  }
  console.log(`${whole(loaded)} packages loaded in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
}

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly worstMs: number;
  readonly operations: number;
  readonly bytes: number;
}

/** `jobs` in order by so many clients, each of which waits for its answer. */
async function measure(jobs: readonly (() => Promise<void>)[], at: number): Promise<Cost> {
  const { operations, bytes } = store;
  const cpu = process.cpuUsage();
  const began = performance.now();
  const times: number[] = [];
  let next = 0;
  const client = async () => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const from = performance.now();
      await job();
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: at }, client));
  const { user, system } = process.cpuUsage(cpu);
  const count = jobs.length;
  return {
    wallMs: (performance.now() - began) / count,
    cpuMs: (user + system) / 1000 / count,
    worstMs: times.sort((a, b) => a - b)[Math.floor(count * 0.99)] ?? 0,
    operations: (store.operations - operations) / count,
    bytes: (store.bytes - bytes) / count,
  };
}

/** Bytes that the jobs allocate, on average, by V8's sampling of allocations. */
async function garbageOf(jobs: readonly (() => Promise<void>)[]): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 1 << 12,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  for (const job of jobs) await job();
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  const sum = (node: typeof profile.head): number => node.selfSize + node.children.reduce((all, child) => all + sum(child), 0);
  return sum(profile.head) / jobs.length;
}

async function printWrites(): Promise<void> {
  const left = packages.slice(loaded);
  let taken = 0;
  const some = (count: number) => {
    taken += count;
    return left.slice(taken - count, taken);
  };
  const add = (each: DebianPackage) => () => run(addText, { input: [inputOf(each)] });
  const update =
    ({ name }: DebianPackage, i: number) =>
    () =>
      run(
        "mutation ($name: String!, $set: PackagePatch) { updatePackage(input: { filter: { name: { eq: $name } }, set: $set }) { package { name } } }",
        { name, set: { section: i % 2 === 0 ? "games" : "libs", installedSizeKiB: i, summary: `changed summary of ${name}` } },
      );
  const remove =
    ({ name }: DebianPackage) =>
    () =>
      run("mutation ($name: String!) { deletePackage(filter: { name: { eq: $name } }) { numUids } }", { name });
  // An order that does not follow the uids.
  const scattered = Array.from({ length: adds }, (_, i) => packages[(i * 7_919) % loaded]).flatMap((each) => each ?? []);
  const third = Math.floor(scattered.length / 3);
  await measure(some(200).map(add), 1);
  const headings = ["one write, in process", "ms", "ms of processor", "p99 ms", "entries", "bytes", "KiB of garbage"];
  const rows: string[][] = [];
  const row = async (what: string, jobs: readonly (() => Promise<void>)[], at: number) => {
    const sampled = Math.floor(jobs.length / 4);
    const garbage = at === 1 ? `${((await garbageOf(jobs.slice(0, sampled))) / 1024).toFixed(0)}` : "";
    const cost = await measure(jobs.slice(at === 1 ? sampled : 0), at);
    const figures = [cost.wallMs.toFixed(3), cost.cpuMs.toFixed(3), cost.worstMs.toFixed(2), cost.operations.toFixed(0), whole(cost.bytes), garbage];
    rows.push([what, ...figures]);
  };
  await row("add, 1 client", some(Math.floor(adds / 2)).map(add), 1);
  await row(`add, ${clients} clients`, some(adds).map(add), clients);
  if (values.only === "adds") return printTable(headings, rows);
  await row("update, 1 client", scattered.slice(0, third).map(update), 1);
  await row(`update, ${clients} clients`, scattered.slice(third, 2 * third).map(update), clients);
  await row("delete, 1 client", scattered.slice(2 * third).map(remove), 1);
  printTable(headings, rows);
}

async function printReads(): Promise<void> {
  const rows: string[][] = [];
  const keys = packages.slice(0, loaded).map(({ name }) => name);
  const get = (i: number) => () =>
    run("query ($name: String!) { getPackage(name: $name) { name version summary } }", { name: keys[(i * 7_919) % keys.length] });
  for (const [what, cacheBytes] of [
    ["by key, from memory", 128 << 20],
    ["by key, from the store", smallCacheBytes],
  ] as const) {
    await kernel.close();
    kernel = kernelOf(cacheBytes);
    await kernel.open();
    const jobs = Array.from({ length: Math.max(loaded, 20_000) }, (_, i) => get(i));
    await measure(jobs, 1);
    const rounds = [];
    for (let round = 0; round < 3; round++) rounds.push((await measure(jobs, 1)).cpuMs);
    rows.push([what, (Math.min(...rounds) * 1000).toFixed(1)]);
  }
  printTable(["one read, in process", "us of processor"], rows);
}
