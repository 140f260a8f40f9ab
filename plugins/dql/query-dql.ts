// DQL for a program that embeds a kernel, and for the command line.

import { type AnswerValue, type Kernel, kernelAccess, QuernError } from "../../core/plugin.ts";
import { type DqlVariables, runText } from "./request/run-text.ts";
import { budgetOf, defaultWorkLimits } from "./state/document-budget.ts";
import { tracedSnapshot } from "./traced-snapshot.ts";

/** How to run a DQL text. */
export interface QueryDqlOptions {
  /** Texts of query variables, by name with `$`: `{ $min: "3" }`. */
  readonly variables?: DqlVariables;
  /** Links that the document may follow or show. Default: 1,000,000. */
  readonly maxEdges?: number;
  /** Called with a line for each request to the storage: what it finds or follows, and how much there was. */
  readonly plan?: (line: string) => void;
}

/**
 * Runs a DQL text on the newest commit, as an administrator: no rule hides anything.
 *
 *     const { keepers } = await queryDql(kernel, "{ keepers(func: type(Keeper)) { uid  Keeper.handle } }");
 *
 * @returns the blocks of the answer by name. Whole numbers beyond 2^53 are bigints, and so are all whole numbers of variables
 * @throws QuernError `REQUEST_INVALID` with line and column, `LIMIT_REACHED`, `NO_SCHEMA`
 */
export async function queryDql(kernel: Kernel, text: string, options: QueryDqlOptions = {}): Promise<Readonly<Record<string, AnswerValue>>> {
  const { variables = {}, maxEdges = defaultWorkLimits.maxEdges, plan } = options;
  const access = kernelAccess(kernel, "dql");
  const schema = access.served;
  if (!schema) throw new QuernError("NO_SCHEMA", "No schema is deployed yet.");
  const snapshot = access.snapshot();
  try {
    return await runText(text, variables, {
      schema,
      snapshot: plan ? tracedSnapshot(snapshot, plan) : snapshot,
      work: budgetOf({ kernel: access, limits: { maxEdges } }),
    });
  } finally {
    snapshot.close();
  }
}
