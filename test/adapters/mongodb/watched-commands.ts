// The commands that a server sends to MongoDB, counted by the driver's monitoring.

import { randomUUID } from "node:crypto";
import { type CommandStartedEvent, type Document, MongoClient } from "mongodb";
import { inject, onTestFinished, vi } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { defaultPlugin } from "../../../plugins/default/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";

export interface WatchedSite {
  readonly kernel: Kernel;
  /** Writes to several collections are one command, as MongoDB 8.0 takes them. */
  readonly writesTogether: boolean;
  /** The names of the commands that `work` sends, in order. Those that wait for changes, ask for the clock or say that the server lives are left out. */
  commands(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** The same, whole. */
  sent(work: () => Promise<unknown>): Promise<readonly Document[]>;
  /** The data of an answer without errors. */
  run(query: string): Promise<Record<string, unknown>>;
}

/** A server of its own with `schema`, on a database of its own. */
export async function watchedSite(schema: string, { clientBulkWrite = true }: { readonly clientBulkWrite?: boolean } = {}): Promise<WatchedSite> {
  const [uri, database] = [new URL(inject("mongodbUri")), `quern_test_${randomUUID()}`];
  uri.searchParams.set("monitorCommands", "true");
  const clients = clientsMade();
  const kernel = createKernel({
    storage: mongodbStorage({ uri: uri.href, database, clientBulkWrite }),
    plugins: [identityPlugin(), searchPlugin(), defaultPlugin()],
    // Some nodes are so long that one answer of MongoDB does not hold them.
    limits: { maxValueCharacters: 10_000_000 },
    log: { level: "silent" },
  });
  await kernel.open();
  const [client] = clients();
  if (client === undefined) throw new Error("no client of the driver has connected");
  onTestFinished(async () => {
    await kernel.close();
    const owner = await new MongoClient(inject("mongodbUri")).connect();
    await owner.db(database).dropDatabase();
    await owner.close();
  });
  await kernel.deploy(schema);
  const { maxWireVersion } = await client.db("admin").command({ hello: 1 });
  return {
    kernel,
    writesTogether: clientBulkWrite && maxWireVersion >= 25,
    commands: async (work) => (await commandsOf(client, work)).map(nameOf),
    sent: (work) => commandsOf(client, work),
    async run(query) {
      const { data, errors } = JSON.parse((await kernel.execute({ query })).body);
      if (errors) throw new Error(`${query}\n${JSON.stringify(errors)}`);
      return data;
    },
  };
}

/** Notes the clients that connect until the result is called. */
export function clientsMade(): () => readonly MongoClient[] {
  const connect = vi.spyOn(MongoClient.prototype, "connect");
  return () => {
    const made = connect.mock.contexts.filter((each) => each instanceof MongoClient);
    connect.mockRestore();
    return made;
  };
}

const aside = new Set(["getMore", "ping", "hello", "endSessions", "killCursors"]);

function nameOf(command: Document): string {
  const [[name, collection] = [""]] = Object.entries(command);
  return typeof collection === "string" ? `${name} ${collection}` : name;
}

/** The commands that `work` sends by a client whose commands are monitored. */
export async function commandsOf(client: MongoClient, work: () => Promise<unknown>): Promise<readonly Document[]> {
  const sent: Document[] = [];
  const note = ({ commandName, command }: CommandStartedEvent) => {
    if (aside.has(commandName)) return;
    // A sign of life, which comes whatever else is done.
    if (command[commandName] === "quern.catalog" && command.autocommit === undefined) return;
    sent.push(command);
  };
  client.on("commandStarted", note);
  try {
    await work();
  } finally {
    client.off("commandStarted", note);
  }
  return sent;
}
