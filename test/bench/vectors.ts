// npx tsx test/bench/vectors.ts [--count 100000] [--length 384] [--metric cosine] [--quantize int8] [--random] [--data folder]: nearest nodes on
// LevelDB. Prints what building the index and inserting take, and for several breadths the recall@10 and the latency of searches, beside exact search
// and, where the package `usearch` is installed, beside that library; then searches that a filter narrows to shares of the nodes.
// The vectors lie in clusters, as those of texts do; with --random they have no structure, which is far harder.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { leveldbStorage } from "../../adapters/level/index.ts";
import {
  type Batch,
  distanceOf,
  type Layout,
  metrics,
  type Nearest,
  NearestList,
  type Predicate,
  type Storage,
  type Vector,
} from "../../core/storage.ts";
import { printTable, whole } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    length: { type: "string", default: "384" },
    metric: { type: "string", default: "cosine" },
    quantize: { type: "string" },
    data: { type: "string" },
    questions: { type: "string", default: "200" },
    breadths: { type: "string", default: "16,32,64,128,256" },
    random: { type: "boolean", default: false },
  },
});
const count = Number(options.count);
const length = Number(options.length);
const metric = metrics.find((each) => each === options.metric) ?? "cosine";
const quantize = options.quantize === "int8" ? "int8" : undefined;
const topK = 10;
const heads = ["", "recall@10", "p50 ms", "p99 ms", "processor ms"];

/** Seeded, so that every run has the same vectors. */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** As embeddings of texts are: clusters in far fewer dimensions than elements, and noise. */
class Vectors {
  readonly #random: () => number;
  readonly #axes: readonly Float64Array[];
  readonly #centres: readonly Float64Array[];

  constructor(seed: number, { dimensions = 32, clusters = 300 } = {}) {
    this.#random = randoms(seed);
    this.#axes = Array.from({ length: dimensions }, () => this.#normals(length));
    this.#centres = Array.from({ length: clusters }, () => this.#normals(dimensions));
  }

  next(): Vector {
    if (options.random) return Float32Array.from(this.#normals(length));
    const centre = this.#centres[Math.floor(this.#random() * this.#centres.length)] ?? new Float64Array();
    const vector = this.#normals(length).map((noise) => noise * 0.5);
    this.#axes.forEach((axis, d) => {
      const along = (centre[d] ?? 0) + this.#normal() * 0.7;
      for (let i = 0; i < length; i++) vector[i] = (vector[i] ?? 0) + (axis[i] ?? 0) * along;
    });
    return Float32Array.from(vector);
  }

  #normals(size: number): Float64Array {
    return Float64Array.from({ length: size }, () => this.#normal());
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }
}

const plain: Layout = {
  types: [{ name: "Text", fields: ["Text.topic", "Text.group"] }],
  fields: [
    { name: "Text.topic", kind: "vector", list: false },
    { name: "Text.group", kind: "int", list: false },
  ],
  edges: [],
  indexes: [{ name: "Text.group/int", field: "Text.group", by: "value", ordered: true }],
  keys: [],
};
const indexed: Layout = {
  ...plain,
  indexes: [...plain.indexes, { name: "Text.topic/hnsw", field: "Text.topic", by: "nearest", metric, quantize }],
};

const mib = (bytes: number) => String(Math.round(bytes / 1048576));
const inserted: number[] = [];

const path = options.data ?? mkdtempSync(join(tmpdir(), "quern-bench-"));
const isFresh = options.data === undefined || !existsSync(options.data);
if (options.data === undefined) process.on("exit", () => rmSync(path, { recursive: true, force: true }));
const source = new Vectors(1);
const vectors = Array.from({ length: count }, () => source.next());
const questions = Array.from({ length: Number(options.questions) }, () => source.next());
const storage: Storage = leveldbStorage({ path, cacheBytes: 1 << 30 });
await storage.open();
console.log(
  `${whole(count)} vectors of ${length} elements, ${metric}${quantize ? `, ${quantize}` : ""}, ${options.random ? "random" : "in clusters"}; ${questions.length} questions, Node ${process.version}\n`,
);
let { version } = await storage.migrate(isFresh ? plain : indexed, "vectors");
const insertHeads = ["", "p50 ms", "p99 ms", "processor ms"];
if (isFresh) await load();
const exact = questions.map((vector) => nearestOf(vector, vectors.keys()));
await searches();
await filtered();
printTable(insertHeads, [await insertsOf("a durable insert into the index")]);
await removeInserted();
await usearch();
const sizes = await storage.sizes?.();
printTable(
  ["on disk", "MiB"],
  (sizes ?? []).map(({ kind, name, bytes }) => [`${kind} ${name}`, mib(bytes)]),
);
const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
printTable(
  ["memory, MiB", "resident", "heap", "buffers", "cache"],
  [["", mib(rss), mib(heapUsed), mib(arrayBuffers), mib(Number((await storage.statistics()).cacheBytes))]],
);
await storage.close();

async function load(): Promise<void> {
  const loading = stopwatch();
  for (let start = 0; start < count; start += 1000) {
    await storage.transact(
      async (transaction) => {
        const part = vectors.slice(start, start + 1000);
        const uids = await transaction.uids(part.length);
        await transaction.write(
          part.map((vector, i) => ({
            kind: "create",
            uid: uids[i] ?? 0,
            type: "Text",
            fields: { "Text.topic": vector, "Text.group": (start + i) % 100 },
          })),
        );
      },
      { version },
    );
  }
  const loaded = loading();
  printTable(insertHeads, [await insertsOf("a durable insert without an index")]);
  await removeInserted();
  const building = stopwatch();
  ({ version } = await storage.migrate(indexed, "vectors indexed"));
  const built = building();
  printTable(
    ["", "seconds", "processor seconds", "ms a vector"],
    [
      ["loading without an index", ...loaded.map((each) => each.toFixed(1)), ((loaded[1] * 1000) / count).toFixed(2)],
      ["building the index", ...built.map((each) => each.toFixed(1)), ((built[1] * 1000) / count).toFixed(2)],
    ],
  );
}

function stopwatch(): () => readonly [seconds: number, processorSeconds: number] {
  const begun = performance.now();
  const used = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(used);
    return [(performance.now() - begun) / 1000, (user + system) / 1e6];
  };
}

function nearestOf(vector: Vector, among: Iterable<number>): ReadonlySet<number> {
  const list = new NearestList({ field: "", metric, vector, count: topK });
  for (const i of among) list.add({ uid: i + 1, distance: distanceOf(metric, vector, vectors[i] ?? vector) });
  return new Set(list.sorted().map(({ uid }) => uid));
}

interface Measured {
  readonly recall: number;
  readonly times: readonly number[];
  /** Of one search. Unlike the others it is the same while other programs use the machine. */
  readonly processorMs: number;
}

async function measure(expected: readonly ReadonlySet<number>[], ask: (vector: Vector) => Promise<readonly number[]>): Promise<Measured> {
  for (const vector of questions.slice(0, 50)) await ask(vector);
  let found = 0;
  const times: number[] = [];
  const watch = stopwatch();
  for (const [i, vector] of questions.entries()) {
    const begun = performance.now();
    const uids = await ask(vector);
    times.push(performance.now() - begun);
    found += uids.filter((uid) => expected[i]?.has(uid)).length;
  }
  const wanted = expected.reduce((sum, each) => sum + each.size, 0);
  const [, processor] = watch();
  return { recall: found / wanted, times: times.sort((a, b) => a - b), processorMs: (processor * 1000) / questions.length };
}

function rowOf(name: string, { recall, times, processorMs }: Measured): string[] {
  return [name, recall.toFixed(4), ...percentiles(times), processorMs.toFixed(2)];
}

/** The median and the 99th percentile. */
function percentiles(times: readonly number[]): string[] {
  return [0.5, 0.99].map((share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2));
}

async function search(nearest: Nearest, where?: Predicate): Promise<readonly number[]> {
  const snapshot = storage.snapshot({ version });
  const batch: Batch = await snapshot.find({ types: ["Text"], nearest, fields: [], ...(where && { where }) });
  snapshot.close();
  return batch.uids;
}

async function searches(): Promise<void> {
  const rows: string[][] = [];
  for (const breadth of options.breadths.split(",").map(Number)) {
    rows.push(rowOf(`breadth ${breadth}`, await measure(exact, (vector) => search({ field: "Text.topic", metric, vector, count: topK, breadth }))));
  }
  const few = await measure(exact, async (vector) => [...nearestOf(vector, vectors.keys())]);
  printTable(heads, [...rows, rowOf("exact, over an array in memory", few)]);
}

async function filtered(): Promise<void> {
  const rows: string[][] = [];
  for (const groups of [1, 10, 60]) {
    const expected = questions.map((vector) =>
      nearestOf(
        vector,
        [...vectors.keys()].filter((i) => i % 100 < groups),
      ),
    );
    const where: Predicate = { kind: "compare", field: "Text.group", op: "lt", operands: [groups] };
    rows.push(
      rowOf(`filter that ${groups} % pass`, await measure(expected, (vector) => search({ field: "Text.topic", metric, vector, count: topK }, where))),
    );
  }
  printTable(heads, rows);
}

async function insertsOf(name: string): Promise<string[]> {
  const times: number[] = [];
  const watch = stopwatch();
  for (let i = 0; i < 200; i++) {
    const vector = source.next();
    const begun = performance.now();
    const uid = await storage.transact(
      async (transaction) => {
        const [uid = 0] = await transaction.uids(1);
        await transaction.write([{ kind: "create", uid, type: "Text", fields: { "Text.topic": vector, "Text.group": 1000 } }]);
        return uid;
      },
      { version },
    );
    times.push(performance.now() - begun);
    inserted.push(uid.result);
  }
  const [, processor] = watch();
  times.sort((a, b) => a - b);
  return [name, ...percentiles(times), ((processor * 1000) / times.length).toFixed(2)];
}

/** The searches expect the loaded vectors alone. */
async function removeInserted(): Promise<void> {
  await storage.transact((transaction) => transaction.write(inserted.splice(0).map((uid) => ({ kind: "remove", uid, type: "Text" }))), { version });
}

/** The library beside ours, where somebody has installed it. */
async function usearch(): Promise<void> {
  const name = "usearch";
  const library = await import(name).catch(() => undefined);
  if (library === undefined) {
    console.log("usearch is not installed: npm install --no-save usearch\n");
    return;
  }
  const metricOf = { cosine: "cos", euclidean: "l2sq", dotproduct: "ip" } as const;
  const index = new library.Index({ dimensions: length, metric: metricOf[metric], quantization: quantize ? "i8" : "f32", connectivity: 16 });
  const building = stopwatch();
  for (const [i, vector] of vectors.entries()) index.add(BigInt(i + 1), vector);
  const [, processor] = building();
  const measured = await measure(exact, async (vector) => [...index.search(vector, topK, 1).keys].map(Number));
  printTable([...heads, "building, processor seconds"], [[...rowOf("usearch", measured), processor.toFixed(1)]]);
}
