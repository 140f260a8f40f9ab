// What runs in the process that the kit kills: says on standard output what was acknowledged.

import type { Metric, NearestIndex, Storage } from "../../../core/storage.ts";
import { Bench, createOf } from "./kit.ts";
import { boats, byValue, end, field } from "./layouts.ts";

const number = field("Boat.number", "int");
const part = field("Boat.part", "int");
const shape = field("Boat.shape", "vector");
const near = (metric: Metric): NearestIndex => ({ name: "Boat.shape/near", field: "Boat.shape", by: "nearest", metric });
const shapeOf = (number: number) => Float32Array.from([1, number % 7, number % 31, number % 101]);
const fleet = {
  name: "Boat.fleet",
  sides: [{ ends: [end("Boat.fleet", ["Boat"], ["Boat"], "many")] }, { ends: [end("~Boat.fleet", ["Boat"], ["Boat"], "many")] }],
} as const;

export const before = boats({
  fields: [number, part, shape],
  edges: [fleet],
  indexes: [byValue("Boat.part", { ordered: false }), near("euclidean")],
});
export const after = boats({
  fields: [number, part, shape],
  edges: [fleet],
  indexes: [byValue("Boat.part", { ordered: false }), byValue("Boat.number", { ordered: true }), near("cosine")],
});
/** Nodes of one transaction. */
export const parts = 3;
/** What a deploy that is killed has to build over. */
export const deployedOver = 3_000;

/**
 * The body of the program that the kit starts by `crash.command`, with a storage over the place that the command names. It reads the
 * last two arguments, which the kit has added, and goes on until it is killed.
 */
export async function crashProgram(storage: Storage): Promise<void> {
  const [work, first] = process.argv.slice(-2);
  await storage.open();
  const bench = new Bench(storage);
  await bench.deploy(before, "before");
  if (work === "deploy") await build(bench);
  else await Promise.all([0, 1, 2].map((writer) => write(bench, Number(first) + writer, 3)));
}

/** Says `number` when the boats of that number are acknowledged. */
async function write(bench: Bench, first: number, step: number): Promise<never> {
  for (let next = first; ; next += step) {
    await bench.write(async (transaction) => {
      const uids = await transaction.uids(parts);
      await transaction.write(uids.map((uid, i) => createOf(uid, "Boat", { "Boat.number": next, "Boat.part": i, "Boat.shape": shapeOf(next + i) })));
      const [from = 0, ...others] = uids;
      await transaction.write(others.map((to) => ({ kind: "link", end: "Boat.fleet", from, fromType: "Boat", to, toType: "Boat" })));
    });
    process.stdout.write(`${next}\n`);
  }
}

/** Says `building`, perhaps again and again, then `built`, and waits for its end. */
async function build(bench: Bench): Promise<void> {
  await bench.create(
    "Boat",
    Array.from({ length: deployedOver }, (_, i) => ({ "Boat.number": i, "Boat.part": 0, "Boat.shape": shapeOf(i) })),
  );
  await bench.storage.migrate(after, "after", { progress: () => void process.stdout.write("building\n") });
  process.stdout.write("built\n");
  setInterval(() => {}, 60_000);
}
