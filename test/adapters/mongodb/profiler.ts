// The queries that reach a database, as its own profiler saw them, and the plans that it chooses for them.

import type { Document, MongoClient } from "mongodb";

export interface Profiler {
  /** The queries that `work` sends to a database. `keysExamined` and `docsExamined` say what each has read. */
  profiled(database: string, work: () => Promise<unknown>): Promise<readonly Document[]>;
  /** What the commands of `work` have examined, by the profiler, and those that scan a collection, by their plans. */
  examined(database: string, work: () => Promise<unknown>): Promise<Examined>;
  /** The names of all stages of the plan that won for a query, those of its unions included. */
  stagesOf(database: string, query: Document): Promise<ReadonlySet<string>>;
}

export interface Examined {
  /** Keys of indexes, or documents, whichever are more. */
  readonly most: number;
  readonly commands: readonly ExaminedCommand[];
  readonly scanned: readonly string[];
}

export interface ExaminedCommand {
  readonly text: string;
  readonly keys: number;
  readonly docs: number;
}

/** Collections that are read whatever is asked: the profiler's own, and that of the servers' signs of life. */
const aside = ["system.profile", "quern.catalog"];

export function profiler(client: MongoClient): Profiler {
  return {
    profiled: (database, work) => profiled(client, database, queries, work),
    async examined(database, work) {
      const documents = await profiled(client, database, operations, work);
      const commands = documents.map(({ command, keysExamined = 0, docsExamined = 0 }) => ({
        text: JSON.stringify(command.pipeline ?? command.filter ?? command).slice(0, 1_000),
        keys: Number(keysExamined),
        docs: Number(docsExamined),
      }));
      const scanned: string[] = [];
      for (const document of documents) {
        const isRead = document.command.find !== undefined || document.command.pipeline !== undefined;
        const scans = isRead ? (await stagesOf(client, database, document)).has("COLLSCAN") : /COLLSCAN/.test(String(document.planSummary));
        if (scans) scanned.push(JSON.stringify(document.command).slice(0, 1_000));
      }
      const sum = (of: "keys" | "docs") => commands.reduce((total, each) => total + each[of], 0);
      return { most: Math.max(sum("keys"), sum("docs")), commands, scanned };
    },
    stagesOf: (database, query) => stagesOf(client, database, query),
  };
}

const queries = {
  $or: [
    { "command.aggregate": { $exists: true }, "command.pipeline.0.$changeStream": { $exists: false } },
    { "command.find": { $exists: true, $nin: aside } },
  ],
};

/** Reads, the further batches of their cursors, and writes. */
const operations = {
  $or: [
    ...queries.$or,
    { op: "getmore", "originatingCommand.pipeline.0.$changeStream": { $exists: false }, ns: { $not: /system\.profile$/ } },
    { op: { $in: ["update", "remove"] }, ns: { $not: /quern\.(catalog|meta|changes)$/ } },
  ],
};

async function profiled(client: MongoClient, database: string, wanted: Document, work: () => Promise<unknown>): Promise<readonly Document[]> {
  const db = client.db(database);
  await db.command({ profile: 0 });
  await db.dropCollection("system.profile").catch(() => undefined);
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  return await db.collection("system.profile").find(wanted).toArray();
}

async function stagesOf(client: MongoClient, database: string, { command }: Document): Promise<ReadonlySet<string>> {
  const { aggregate, pipeline, find, filter, sort, skip, limit, projection } = command;
  const query = find === undefined ? { aggregate, pipeline, cursor: {} } : { find, filter, sort, skip, limit, projection };
  const explained = await client.db(database).command({ explain: query, verbosity: "queryPlanner" }, { ignoreUndefined: true });
  const stages = new Set<string>();
  JSON.stringify(explained, (key, value) => {
    if (key === "rejectedPlans" || key === "command") return undefined;
    if (key === "stage") stages.add(String(value));
    if (key === "$sort") stages.add("SORT");
    return typeof value === "bigint" ? String(value) : value;
  });
  for (const lookUp of lookUpsIn(pipeline)) if (await scans(client, database, lookUp)) stages.add("COLLSCAN");
  return stages;
}

interface LookUp {
  readonly from: string;
  readonly foreignField?: string;
  readonly pipeline?: readonly Document[];
}

/** A plan does not say how look-ups read, and to execute some of them for the explanation crashes MongoDB 6.0.5. */
function lookUpsIn(value: unknown): readonly LookUp[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "$lookup" in value ? [value.$lookup as LookUp] : [];
  return [...own, ...Object.values(value).flatMap(lookUpsIn)];
}

async function scans(client: MongoClient, database: string, { from, foreignField, pipeline }: LookUp): Promise<boolean> {
  if (foreignField === undefined) return (await stagesOf(client, database, { command: { aggregate: from, pipeline } })).has("COLLSCAN");
  const indexes = await client.db(database).collection(from).indexes();
  return !indexes.some(({ key }) => Object.keys(key)[0] === foreignField);
}
