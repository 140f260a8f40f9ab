// Started by the crash tests: writes until it is killed, or so many times as it is told, and says on standard output what was
// acknowledged.

import { leveldbStorage } from "../../../adapters/level/index.ts";
import { crashLayout } from "./crash-layout.ts";

const [path = "", seed = "0", limit = "Infinity"] = process.argv.slice(2);
const storage = leveldbStorage({ path });
await storage.open();
const { version } = await storage.migrate(crashLayout, "crash");
process.stdout.write("ready\n");

const first = Number(seed) * 1_000_000;
let next = first;

/** Adds a boat, links it to the one before, changes an older one, removes one now and then. */
async function writeOne(): Promise<void> {
  const number = next++;
  const { result } = await storage.transact(
    async (transaction) => {
      const [uid = 0] = await transaction.uids(1);
      const { uids } = await transaction.find({ types: ["Boat"], page: { last: 3 }, fields: [] });
      await transaction.write([
        {
          kind: "create",
          uid,
          type: "Boat",
          fields: { "Boat.number": number, "Boat.name": `boat ${number % 7}`, "Boat.tags": ["x", `t${number % 3}`] },
        },
        ...uids.map((to) => ({ kind: "link" as const, end: "Boat.fleet", from: uid, fromType: "Boat", to, toType: "Boat" })),
      ]);
      const [first] = uids;
      if (first !== undefined && number % 5 === 0)
        await transaction.write([{ kind: "set", uid: first, type: "Boat", fields: { "Boat.name": `renamed ${number}` } }]);
      return uid;
    },
    { version },
  );
  process.stdout.write(`${number} ${result}\n`);
}

await Promise.all(
  Array.from({ length: 4 }, async () => {
    while (next - first < Number(limit)) await writeOne();
  }),
);
await storage.close();
