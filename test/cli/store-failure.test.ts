// A store that fails during an import ends it. No line of the file is to blame, and the next import goes on.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { importShape } from "../../adapters/cli/import/import-shape.ts";
import { localTarget } from "../../adapters/cli/import/import-target.ts";
import { runImport } from "../../adapters/cli/import/run-import.ts";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { QuernError, type Storage } from "../../core/storage.ts";
import { newPlace } from "../support/storage.ts";

const schema = "type Boat { name: String! @id  seats: Int }";
const lines = 2_500;

/** Fails every transaction from number `at` on. */
function failingFrom(storage: Storage, at: number): Storage {
  const transact = storage.transact.bind(storage);
  let seen = 0;
  storage.transact = (work, options) => {
    seen += 1;
    return seen < at ? transact(work, options) : Promise.reject(new QuernError("STORE_UNAVAILABLE", "the disk is full"));
  };
  return storage;
}

it("ends an import that skips bad lines, blames no line, and lets the next import go on", async () => {
  const place = await newPlace();
  onTestFinished(() => place.remove());
  const folder = await mkdtemp(join(tmpdir(), "quern-failing-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "boats.ndjson");
  const good = Array.from({ length: lines }, (_, n) => `{"name":"b${n}"}`);
  await writeFile(file, ['{"name":"b","seats":"many"}', ...good].join("\n"));

  const bad: number[] = [];
  const run = async (storage: Storage) => {
    const target = await localTarget(
      { storage, plugins: standardPlugins(), transports: [], log: { level: "silent" } },
      { type: "Boat" },
      async (kernel) => {
        await kernel.deploy(schema);
      },
    );
    const events = { progress: () => undefined, bad: (_file: string, line: number) => void bad.push(line) };
    return await runImport({ files: [file], shape: importShape(target.schema, "Boat"), target, events }).finally(() => target.close());
  };

  await expect(run(failingFrom(place.storage(), 3))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", message: "the disk is full" });
  expect(bad.filter((line) => line !== 1)).toEqual([]);
  const { added, linesBefore } = await run(place.storage());
  expect(bad.filter((line) => line !== 1)).toEqual([]);
  expect(added + linesBefore - 1).toBe(lines);
});
