// DQL for other plugins: `quern.dql` of a function in the process, `dql.query` of a lambda script.

import { type LanguageQuestion, parseJsonInTurns, QuernError, type QueryLanguage, run, writeJsonInTurns } from "../../core/plugin.ts";
import type { AnswerObject } from "./answer/node.ts";
import { runText } from "./request/run-text.ts";
import { variableTexts } from "./request/variable-texts.ts";
import { DocumentBudget, type WorkLimits } from "./state/document-budget.ts";
import { dataOf } from "./write/answer.ts";
import { commitNow } from "./write/commit.ts";
import type { FactsCache } from "./write/facts.ts";
import { parseWriteJson, parseWriteText } from "./write/parse-request.ts";

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
      const work = budgetOf(question, limits);
      const seen = rules ? await visible() : snapshot;
      return plain(await runText(text, variableTexts(variables), { schema: { ...schema, mayRead }, snapshot: seen, work, isRuled: rules }));
    },
  };
}

export interface WriteLanguageOptions extends LanguageOptions {
  readonly facts: FactsCache;
}

/** Mutations: `quern.dqlMutate` of a function, `dql.mutate` of a lambda script. A text that begins as a JSON object is read as one. */
export function dqlWriteLanguage({ limits, rules, facts }: WriteLanguageOptions): QueryLanguage {
  return {
    name: "dql-mutate",
    async run(question) {
      const { text, schema, write } = question;
      if (!write) throw new QuernError("REQUEST_REFUSED", "What only reads cannot write in DQL, nor can a part of a transaction.");
      const work = () => budgetOf(question, limits);
      const request = await run(startsAsJson.test(text) ? parseWriteJson(text) : parseWriteText(text), work());
      return plain(dataOf(await commitNow(request, { schema, facts: facts.of(schema), rules, work, write })));
    },
  };
}

const startsAsJson = /^\s*\{\s*["}]/;

function budgetOf(question: LanguageQuestion, limits: WorkLimits): DocumentBudget {
  return new DocumentBudget(limits, { check: () => question.signal.throwIfAborted(), values: question.limits });
}

/** As the answer of a GraphQL request: only whole numbers beyond 2^53 are bigints. */
async function plain(answer: AnswerObject): Promise<Readonly<Record<string, unknown>>> {
  const pieces = await writeJsonInTurns(answer, Number.POSITIVE_INFINITY);
  return (await parseJsonInTurns(Buffer.concat(pieces).toString())) as Readonly<Record<string, unknown>>;
}
