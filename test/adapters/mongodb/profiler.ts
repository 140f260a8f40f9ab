// The queries that reach a database, as its own profiler saw them, and the plans that it chooses for them.

import type { Document, MongoClient } from "mongodb";

export interface Profiler {
  /** The queries that `work` sends to a database. `keysExamined` and `docsExamined` say what each has read. */
  profiled(database: string, work: () => Promise<unknown>): Promise<readonly Document[]>;
  /** The names of all stages of the plan that won for a query, those of its unions included. */
  stagesOf(database: string, query: Document): Promise<ReadonlySet<string>>;
}

/** Collections that are read whatever is asked: the profiler's own, and that of the servers' signs of life. */
const aside = ["system.profile", "quern.catalog"];

export function profiler(client: MongoClient): Profiler {
  return {
    async profiled(database, work) {
      const db = client.db(database);
      await db.command({ profile: 0 });
      await db.dropCollection("system.profile").catch(() => undefined);
      await db.command({ profile: 2 });
      await work();
      await db.command({ profile: 0 });
      return await db
        .collection("system.profile")
        .find({
          $or: [
            { "command.aggregate": { $exists: true }, "command.pipeline.0.$changeStream": { $exists: false } },
            { "command.find": { $exists: true, $nin: aside } },
          ],
        })
        .toArray();
    },
    async stagesOf(database, { command }) {
      const { aggregate, pipeline, find, filter, sort, skip, limit, projection } = command;
      const query = find === undefined ? { aggregate, pipeline, cursor: {} } : { find, filter, sort, skip, limit, projection };
      const explained = await client.db(database).command({ explain: query, verbosity: "queryPlanner" }, { ignoreUndefined: true });
      const stages = new Set<string>();
      JSON.stringify(explained, (key, value) => {
        if (key === "rejectedPlans" || key === "command") return undefined;
        if (key === "stage") stages.add(String(value));
        if (key === "$sort") stages.add("SORT");
        return value;
      });
      return stages;
    },
  };
}
