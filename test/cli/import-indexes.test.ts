// `quern import` builds the indexes of types without nodes at its end. A stopped import leaves that to whatever opens the store next.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { importShape } from "../../adapters/cli/import/import-shape.ts";
import { localTarget } from "../../adapters/cli/import/import-target.ts";
import { runImport } from "../../adapters/cli/import/run-import.ts";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { createKernel } from "../../core/index.ts";
import type { Storage } from "../../core/storage.ts";
import { newPlace, type Place } from "../support/storage.ts";

const schema = `type Boat { name: String! @id  seats: Int @search  kind: String @search(by: [hash, term])  sister: Boat }`;
const question = `{ queryBoat(filter: { seats: { between: { min: 2, max: 3 } }, kind: { anyofterms: "sail" } }, order: { desc: name }, first: 2) { name seats } }`;
const answer = {
  queryBoat: [
    { name: "b99", seats: 3 },
    { name: "b98", seats: 2 },
  ],
};

async function importFile(file: string, storage: Storage, { finishes }: { readonly finishes: boolean }): Promise<readonly string[]> {
  const target = await localTarget(
    { storage, plugins: standardPlugins(), transports: [], log: { level: "silent" } },
    { type: "Boat" },
    async (kernel) => {
      await kernel.deploy(schema, { deferIndexes: true });
    },
  );
  const built = new Set<string>();
  try {
    const bad = (_file: string, _line: number, reason: string) => {
      throw new Error(reason);
    };
    await runImport({ files: [file], shape: importShape(target.schema, "Boat"), target, events: { progress: () => undefined, bad } });
    if (finishes) await target.finish(({ what }) => built.add(what));
  } finally {
    await target.close();
  }
  return [...built];
}

async function boats(): Promise<{ readonly file: string; readonly place: Place }> {
  const place = await newPlace();
  onTestFinished(() => place.remove());
  const folder = await mkdtemp(join(tmpdir(), "quern-boats-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "boats.ndjson");
  const lines = Array.from({ length: 100 }, (_, n) => ({
    name: `b${n}`,
    seats: n % 4,
    kind: n % 8 === 7 ? "motor" : "sail boat",
    sister: `b${99 - n}`,
  }));
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  return { file, place };
}

/** What a server would answer that opens the store now, and what `quern check` would say. */
async function asked(storage: Storage): Promise<{ readonly data: unknown; readonly faults: number; readonly work: readonly string[] }> {
  const kernel = createKernel({ storage, plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open({ background: false });
  try {
    const { body } = await kernel.execute({ query: question });
    const { work } = (await kernel.compare(schema)).storage;
    return { data: JSON.parse(body).data, faults: (await storage.verify()).faultCount, work };
  } finally {
    await kernel.close();
  }
}

it("leaves a store with every index at the end", async () => {
  const { file, place } = await boats();
  await importFile(file, place.storage(), { finishes: true });
  expect(await asked(place.storage())).toEqual({ data: answer, faults: 0, work: [] });
});

it("leaves the indexes to the next start when it ends early", async () => {
  const { file, place } = await boats();
  await importFile(file, place.storage(), { finishes: false });
  expect(await asked(place.storage())).toEqual({ data: answer, faults: 0, work: [] });
});

it("goes on with a second import that builds them", async () => {
  const { file, place } = await boats();
  await importFile(file, place.storage(), { finishes: false });
  const storage = place.storage();
  const { deferredIndexes = false } = storage.supports;
  const built = await importFile(file, storage, { finishes: true });
  expect(built.some((what) => what.includes("Boat.seats"))).toBe(deferredIndexes);
  expect(await asked(place.storage())).toEqual({ data: answer, faults: 0, work: [] });
});
