// npx tsx test/bench/open-in-memory.ts: what a test of an application pays for a kernel of its own: open, deploy, one add, close. In memory, and on LevelDB for
// comparison. `--rounds 50`; the first round is apart, because it compiles and warms what later ones find.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { memoryStorage } from "../../adapters/memory/index.ts";
import { createKernel } from "../../core/index.ts";
import type { Storage } from "../../core/storage.ts";
import { printTable } from "./table.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "50" } } });
const rounds = Number(values.rounds);

const schema = `
type Task @withSubscription @auth(query: { rule: "query($USER: String!) { queryTask(filter: { owner: { name: { eq: $USER } } }) { id } }" }) {
  id: ID!
  title: String! @search(by: [term])
  done: Boolean @search
  owner: Person! @search
}
type Person { name: String! @id  tasks: [Task] @hasInverse(field: owner) }
`;

const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const storages: Readonly<Record<string, () => Storage>> = {
  memory: () => memoryStorage(),
  LevelDB: () => leveldbStorage({ path: mkdtempSync(join(folder, "store-")) }),
};

interface Round {
  /** Milliseconds of each step. */
  readonly times: readonly number[];
  /** Milliseconds of the processor until the schema is deployed. */
  readonly processor: number;
}

async function once(storage: Storage): Promise<Round> {
  const kernel = createKernel({ storage, plugins: standardPlugins(), log: { level: "silent" } });
  const steps = [
    () => kernel.open(),
    () => kernel.deploy(schema),
    async () => void (await kernel.execute({ query: 'mutation { addTask(input: [{ title: "a", owner: { name: "ada" } }]) { numUids } }' })),
    () => kernel.close(),
  ];
  const times: number[] = [];
  const before = process.cpuUsage();
  let processor = 0;
  for (const step of steps) {
    const begun = performance.now();
    await step();
    times.push(performance.now() - begun);
    const { user, system } = process.cpuUsage(before);
    if (times.length === 2) processor = (user + system) / 1_000;
  }
  return { times, processor };
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

const rows: string[][] = [];
for (const [name, storage] of Object.entries(storages)) {
  const first = await once(storage());
  const later: Round[] = [];
  for (let round = 0; round < rounds; round++) later.push(await once(storage()));
  const steps = first.times.map((_, step) => median(later.map(({ times }) => times[step] ?? Number.NaN)));
  const ready = ({ times }: Round) => (times[0] ?? 0) + (times[1] ?? 0);
  const processor = median(later.map((round) => round.processor));
  rows.push([name, ...[ready(first), median(later.map(ready)), Math.max(...later.map(ready)), processor, ...steps].map((ms) => ms.toFixed(1))]);
}
console.log(`milliseconds, ${rounds} rounds after the first`);
printTable(["storage", "first open+deploy", "median", "slowest", "processor", "open", "deploy", "add", "close"], rows);
