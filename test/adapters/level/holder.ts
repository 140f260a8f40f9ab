// A process that holds a store open: says so, writes when it gets a line, and answers what came of it.

import { createInterface } from "node:readline";
import { LevelStore } from "../../../adapters/level/level-store.ts";

const store = new LevelStore(process.argv[2] ?? "", { blockCacheBytes: 1 << 20 });

function codeOf(reason: unknown): string {
  return reason instanceof Error && "code" in reason ? String(reason.code) : String(reason);
}

async function write(key: string): Promise<string> {
  try {
    await store.batch([{ type: "put", key, value: Buffer.from(key) }], { sync: true });
    return "written";
  } catch (reason) {
    return codeOf(reason);
  }
}

try {
  await store.open();
  console.log("open");
  for await (const key of createInterface({ input: process.stdin })) console.log(key === "fault" ? String(store.fault?.code) : await write(key));
  await store.close();
} catch (reason) {
  console.log(codeOf(reason));
}
