// Query languages beside GraphQL, which plugins offer to each other.

import type { Limits } from "../../ground/limits.ts";
import type { EndName, FieldName, MaybePromise } from "../../ground/values/value.ts";
import type { Snapshot } from "../storage/snapshot.ts";
import type { Committed } from "../storage/storage.ts";
import type { ExecuteAnswer } from "./execute.ts";
import type { ServedSchema } from "./kernel-access.ts";
import type { WriteTransaction } from "./write-transaction.ts";

/**
 * A language in which a plugin answers questions about the data. Other plugins ask in it with `execute({ query, language })`:
 *
 *     const counting: QueryLanguage = {
 *       name: "counting",
 *       async run({ text, schema, visible }) {
 *         const type = schema.model.nodeTypes.get(text);
 *         if (type === undefined) throw new QuernError("REQUEST_INVALID", `There is no type ${text}.`);
 *         const [row] = await (await visible()).aggregate({ over: { types: [type.stored] }, measures: [{ kind: "count" }] });
 *         return { count: row?.[0] ?? 0 };
 *       },
 *     };
 */
export interface QueryLanguage {
  /** Unique among the installed plugins, in lower case: `dql`. */
  readonly name: string;
  /** Answers one question. It only reads, but through `LanguageQuestion.write`. A `QuernError` that it throws is an error of the answer. */
  readonly run: (question: LanguageQuestion) => MaybePromise<NonNullable<ExecuteAnswer["data"]>>;
}

/** A question, and what its answer may use until it is given. */
export interface LanguageQuestion {
  /** The question in the language. */
  readonly text: string;
  /** As the caller gave them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The deployment under which it is answered. */
  readonly schema: ServedSchema;
  /** One view of the data, outside rules, as `RootContext.outsideRules`: every node, unless a plugin narrows everywhere. */
  readonly snapshot: Snapshot;
  /** The same view as the caller may see it: nodes that rules hide do not exist in it, and hidden fields have no values. */
  readonly visible: () => MaybePromise<Snapshot>;
  /** Aborts when the request has to end: the client has disconnected, or the request has run for `limits.maxTimeMs`. */
  readonly signal: AbortSignal;
  /** How long the values of the question may be. Absent: of any length. */
  readonly limits?: Pick<Limits, "maxValueCharacters" | "maxTokensPerValue"> | undefined;
  /** Whether the caller may read a field or link (`Hooks.permissions`). */
  readonly mayRead: (name: FieldName | EndName) => boolean;
  /**
   * Writes for the caller, in one transaction; `work` may run several times. Undefined: the question is part of something that only reads, such as a field of
   * `Query`, or of a transaction.
   */
  readonly write?: (<T>(work: (tx: WriteTransaction) => MaybePromise<T>) => Promise<Committed<T>>) | undefined;
}
