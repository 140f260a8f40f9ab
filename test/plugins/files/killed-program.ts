// A server with files that kills itself at a moment: `killed-program.ts ADDRESS FOLDER LASTS MOMENT`. Uploads wait LASTS milliseconds. Prints its URL. Without
// a moment it goes on.

import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { createServerKernel } from "../../../adapters/server/index.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { type FileStore, filesPlugin, folderFiles } from "../../../plugins/files/index.ts";
import { storageAt } from "../../support/addressed-storage.ts";

const [address = "", folder = "", lasts = "", moment = ""] = process.argv.slice(2);
const whole = folderFiles({ path: folder });

function dieAt(place: string): void {
  if (place === moment) process.kill(process.pid, "SIGKILL");
}

async function* dying(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    yield piece;
    dieAt("half");
  }
}

let writes = 0;

const store: FileStore = {
  name: "dying",
  write: async (key, bytes) => {
    dieAt("begun");
    await whole.write(key, dying(bytes));
    dieAt("written");
    dieAt(`written ${++writes}`);
  },
  read: (key, range) => whole.read(key, range),
  size: (key) => whole.size(key),
  list: () => whole.list(),
  remove: async (key) => {
    dieAt("unremoved");
    await whole.remove(key);
    dieAt("removed");
  },
};

const plugins = [...standardPlugins().filter(({ name }) => name !== "files"), filesPlugin({ store, uploadsLastMs: Number(lasts) })];
const kernel = createServerKernel({ storage: storageAt(address), plugins, log: { level: "silent" } });
await kernel.open();
await kernel.deploy("type Photo { id: ID!  image: File @file }");
const listening = await wsTransport().listen(kernel, { host: "127.0.0.1", port: 0 });
console.log(listening.url);
