// A server on the layout for sharded clusters whose commands are recorded.

import { randomUUID } from "node:crypto";
import { type Document, MongoClient } from "mongodb";
import { inject } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { mongodbStorage } from "../../../../adapters/mongodb/index.ts";
import { createKernel } from "../../../../core/index.ts";
import { clientsMade, commandsOf } from "../watched-commands.ts";

export interface RecordedSite {
  readonly client: MongoClient;
  readonly database: string;
  /** The data of an answer. @param fails the code of the error that is the answer */
  ask(query: string, options?: { readonly variables?: object; readonly fails?: string | undefined }): Promise<unknown>;
  deploy(schema: string): Promise<unknown>;
  /** The commands that `work` sends, but for signs of life. */
  sent(work: () => Promise<unknown>): Promise<readonly Document[]>;
  close(): Promise<void>;
}

export async function recordedSite(): Promise<RecordedSite> {
  const [uri, database] = [new URL(inject("mongodbUri")), `quern_test_${randomUUID()}`];
  uri.searchParams.set("monitorCommands", "true");
  const clients = clientsMade();
  const kernel = createKernel({
    storage: mongodbStorage({ uri: uri.href, database, sharded: true }),
    plugins: standardPlugins(),
    log: { level: "silent" },
  });
  await kernel.open();
  const [monitored] = clients();
  if (monitored === undefined) throw new Error("no client of the driver has connected");
  const client = await new MongoClient(inject("mongodbUri")).connect();
  return {
    client,
    database,
    async ask(query, { variables = {}, fails } = {}) {
      const { data, errors } = JSON.parse((await kernel.execute({ query, variables: { ...variables } })).body);
      if (errors?.[0]?.extensions?.code !== fails) throw new Error(`${query}\n${JSON.stringify(errors).slice(0, 1_000)}`);
      return data;
    },
    deploy: (schema) => kernel.deploy(schema),
    sent: (work) => commandsOf(monitored, work),
    async close() {
      await kernel.close();
      await client.db(database).dropDatabase();
      await client.close();
    },
  };
}
