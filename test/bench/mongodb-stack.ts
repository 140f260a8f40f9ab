// A configuration of the command line with a mongod of its own, for benches that start servers as users do.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startReplicaSet } from "../support/mongod.ts";

export interface MongodbStack {
  /** A configuration file. */
  readonly config: string;
  stop(): Promise<void>;
}

/** @param folder holds the file */
export async function mongodbStack(folder: string): Promise<MongodbStack> {
  const set = await startReplicaSet({ cacheMb: 1_024 });
  const config = join(folder, "quern.config.mjs");
  const from = (adapter: string) => JSON.stringify(new URL(`../../dist/adapters/${adapter}/index.js`, import.meta.url));
  writeFileSync(
    config,
    `import { standardStack } from ${from("cli")};
import { mongodbStorage } from ${from("mongodb")};

export default { ...standardStack(), storage: mongodbStorage({ uri: ${JSON.stringify(set.uri)}, database: "hostile" }) };
`,
  );
  return { config, stop: () => set.stop() };
}
