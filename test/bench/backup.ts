// What a backup of a LevelDB store costs, in two ways: its files, kept by hard links, and a snapshot that is read out key by key.
//
//     npx tsx test/bench/backup.ts [nodes]

import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { LevelStore } from "../../adapters/level/level-store.ts";
import { makeBackup } from "../../adapters/transfer/index.ts";
import { createKernel } from "../../core/index.ts";

const count = Number(process.argv[2] ?? 200_000);
const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
const data = join(folder, "data");

const kernel = createKernel({
  storage: leveldbStorage({ path: data, durability: "os-crash-may-lose-commits" }),
  plugins: standardPlugins(),
  log: { level: "silent" },
});
await kernel.open();
await kernel.deploy("type Entry { name: String! @id  n: Int @search  text: String @search(by: [term]) }");
for (let from = 0; from < count; from += 1_000) {
  const i = Array.from({ length: 1_000 }, (_, k) => ({
    name: `entry ${from + k}`,
    n: k,
    text: `word${k} and ${Math.random().toString(36).repeat(8)}`,
  }));
  await kernel.execute({ query: "mutation ($i: [AddEntryInput!]!) { addEntry(input: $i) { numUids } }", variables: { i } });
}

/** Runs `work` while a writer goes on, and measures its time and the longest write. */
async function timed(what: string, work: () => Promise<number>): Promise<void> {
  let stopped = false;
  let longest = 0;
  const writer = (async () => {
    for (let i = 0; !stopped; i++) {
      const begin = performance.now();
      await kernel.execute({
        query: "mutation ($n: String!) { addEntry(input: [{ name: $n }], upsert: true) { numUids } }",
        variables: { n: `${what} ${i}` },
      });
      longest = Math.max(longest, performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  })();
  const begin = performance.now();
  const bytes = await work();
  const ms = performance.now() - begin;
  stopped = true;
  await writer;
  console.log(`${what}: ${Math.round(ms)} ms for ${(bytes / 2 ** 20).toFixed(1)} MB; longest write meanwhile ${Math.round(longest)} ms`);
}

const backups = join(folder, "backups");
const backup = (full: boolean) => async () => {
  const { files, path } = await makeBackup({ storage: kernel.storage, deployment: kernel.deployment, folder: backups, full });
  return files.filter((file) => file.path === path).reduce((sum, { bytes }) => sum + bytes, 0);
};
await timed("files, full", backup(true));
await timed("files, incremental", backup(false));
await timed("files, pinned only", async () => {
  const pinned = await kernel.storage.pinFiles?.();
  await pinned?.release();
  return 0;
});
await kernel.close();

const store = new LevelStore(data, { blockCacheBytes: 16 << 20 });
await store.open();
const begin = performance.now();
let bytes = 0;
await pipeline(
  async function* () {
    const view = store.view();
    const cursor = store.cursor({ from: "", to: "\uffff" }, view);
    for (let entries = await cursor.next(1_000); entries.length > 0; entries = await cursor.next(1_000)) {
      const lines = entries.map(([key, value]) => Buffer.concat([Buffer.from(key), Buffer.from(value)]));
      const piece = Buffer.concat(lines);
      bytes += piece.length;
      yield piece;
    }
    await cursor.close();
    view.close();
  },
  createWriteStream(join(folder, "read-out")),
);
console.log(
  `snapshot read out, without a writer: ${Math.round(performance.now() - begin)} ms for ${(bytes / 2 ** 20).toFixed(1)} MB, and a restore writes every key again`,
);
await store.close();
rmSync(folder, { recursive: true, force: true });
