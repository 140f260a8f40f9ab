// Transfers and rings by several writers at the same time, until somebody kills it: `constraints-program.ts FIRST FOLDER`, or with the URI and the
// name of a database of MongoDB in place of the folder. Prints `paid N`, `made N` and `broken N` for what was acknowledged.

import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel } from "../../../core/index.ts";
import { accounts, bankSchema, breakRingText, openAccounts, ringText, transferText } from "../../plugins/constraints/bank.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

const [first = "0", place = "", database] = process.argv.slice(2);
const storage = database === undefined ? leveldbStorage({ path: place }) : mongodbStorage({ uri: place, database, ...layoutOfRun });
const kernel = createKernel({ storage, plugins: standardPlugins(), log: { level: "silent" } });
await kernel.open();
await kernel.deploy(bankSchema);

async function isDone(query: string): Promise<boolean> {
  const { errors } = JSON.parse((await kernel.execute({ query })).body);
  return errors === undefined;
}

let next = Number(first);
if (next === 0) await isDone(openAccounts);
const name = (n: number) => accounts[n % accounts.length] ?? "";

async function write(): Promise<never> {
  for (;;) {
    const number = next++;
    console.log(`try ${number}`);
    const transfer = { from: name(number), to: name(number + 1 + (number % 3)), amount: 1 + (number % 40), number };
    if (await isDone(transferText(transfer))) {
      console.log(`paid ${number}`);
      // Its number is taken: nothing of it may stay.
      await isDone(transferText(transfer));
    }
    if (number % 5 !== 0 || !(await isDone(ringText(number)))) continue;
    console.log(`made ${number}`);
    if (number % 10 === 0 && (await isDone(breakRingText(number)))) console.log(`broken ${number}`);
  }
}

await Promise.all(Array.from({ length: 4 }, write));
