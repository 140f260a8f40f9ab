// DQL for other plugins: `quern.dql` of a function in the process, `dql.query` of a lambda script.

import { parseJson, type QueryLanguage, writeJson } from "../../core/plugin.ts";
import type { AnswerObject } from "./answer/node.ts";
import type { WorkLimits } from "./run/turns.ts";
import { runText } from "./run-text.ts";
import { variableTexts } from "./variable-texts.ts";

export interface LanguageOptions {
  readonly limits: WorkLimits;
  /** Whether rules hide nodes and fields from the caller. */
  readonly rules: boolean;
}

export function dqlLanguage({ limits, rules }: LanguageOptions): QueryLanguage {
  return {
    name: "dql",
    async run({ text, variables, schema, snapshot, visible, mayRead }) {
      const seen = rules ? await visible() : snapshot;
      return plain(await runText(text, variableTexts(variables), { schema: { ...schema, mayRead }, snapshot: seen, limits }));
    },
  };
}

/** As the answer of a GraphQL request: only whole numbers beyond 2^53 are bigints. */
function plain(answer: AnswerObject): Readonly<Record<string, unknown>> {
  return parseJson(writeJson(answer)) as Readonly<Record<string, unknown>>;
}
