// DQL for other plugins: `quern.dql` of a function in the process, `dql.query` of a lambda script.

import { parseJsonInTurns, type QueryLanguage, writeJsonInTurns } from "../../core/plugin.ts";
import type { AnswerObject } from "./answer/node.ts";
import { runText } from "./request/run-text.ts";
import { variableTexts } from "./request/variable-texts.ts";
import { DocumentBudget, type WorkLimits } from "./state/document-budget.ts";

export interface LanguageOptions {
  readonly limits: WorkLimits;
  /** Whether rules hide nodes and fields from the caller. */
  readonly rules: boolean;
}

export function dqlLanguage({ limits, rules }: LanguageOptions): QueryLanguage {
  return {
    name: "dql",
    async run(question) {
      const { text, variables, schema, snapshot, visible, mayRead } = question;
      // The signal is made when it is first asked for.
      const work = new DocumentBudget(limits, { check: () => question.signal.throwIfAborted(), values: question.limits });
      const seen = rules ? await visible() : snapshot;
      return plain(await runText(text, variableTexts(variables), { schema: { ...schema, mayRead }, snapshot: seen, work }));
    },
  };
}

/** As the answer of a GraphQL request: only whole numbers beyond 2^53 are bigints. */
async function plain(answer: AnswerObject): Promise<Readonly<Record<string, unknown>>> {
  const pieces = await writeJsonInTurns(answer, Number.POSITIVE_INFINITY);
  return (await parseJsonInTurns(Buffer.concat(pieces).toString())) as Readonly<Record<string, unknown>>;
}
