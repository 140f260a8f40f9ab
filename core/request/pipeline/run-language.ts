// Answers a question in another language than GraphQL, with the rights of the operation around it.

import type { ExecuteAnswer } from "../../contracts/plugin/execute.ts";
import type { LanguageQuestion, QueryLanguage } from "../../contracts/plugin/query-language.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { patience, patienceOf } from "../../ground/patience.ts";
import { runWrites } from "../../mutation/transaction/write-transaction.ts";
import { callersView, viewOutsideRules } from "../../query/access/answer-views.ts";
import { endless } from "../../query/level/endless.ts";
import type { OperationContext } from "../../query/operation-context.ts";
import { openSnapshot } from "../../query/read/open-snapshot.ts";

export type QuestionText = Pick<LanguageQuestion, "text" | "variables">;

/** @throws QuernError when no plugin offers the language */
export function languageNamed(name: string, languages: readonly QueryLanguage[]): QueryLanguage {
  const found = languages.find((each) => each.name === name);
  if (found) return found;
  const known = ["graphql", ...languages.map((each) => each.name)].join(", ");
  throw new QuernError("REQUEST_INVALID", `No installed plugin answers the query language ${name}. Languages of this server: ${known}.`);
}

/** @throws QuernError that refuses the caller, or that the language throws */
export async function runLanguage(
  language: QueryLanguage,
  asked: QuestionText,
  context: OperationContext,
): Promise<NonNullable<ExecuteAnswer["data"]>> {
  const refusal = context.refused ?? context.unauthorized;
  if (refusal) throw refusal;
  if (context.unavailable !== undefined) throw context.unavailable;
  const { shared } = context;
  const snapshot = shared?.use(() => openSnapshot(context)) ?? openSnapshot(context);
  try {
    return await language.run(await questionOf({ ...asked, name: language.name }, snapshot, context));
  } finally {
    if (!shared) snapshot.close();
  }
}

interface Asked extends QuestionText {
  /** Of the language. */
  readonly name: string;
}

async function questionOf({ text, variables, name }: Asked, snapshot: Snapshot, context: OperationContext): Promise<LanguageQuestion> {
  const question: Omit<LanguageQuestion, "signal"> = {
    text,
    variables,
    limits: context.valueLimits,
    schema: context.deployment,
    snapshot: await viewOutsideRules(snapshot, context),
    visible: () => callersView(snapshot, context),
    mayRead: (name) => context.permissions?.mayRead(name) ?? true,
    ...(context.writes === true && { write: (work) => runWrites(work, name, context) }),
    ...{ [patience]: patienceOf(context.request) },
  };
  return Object.assign(new AskedBy(context), question);
}

/** The request behind a question: a class for the reason of `HookArgument`. */
class AskedBy {
  readonly #context: OperationContext;

  constructor(context: OperationContext) {
    this.#context = context;
  }

  get signal(): AbortSignal {
    return this.#context.budget.signal ?? endless;
  }
}
