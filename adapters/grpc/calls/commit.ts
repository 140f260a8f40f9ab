// CommitOrAbort: the end of a transaction.

import { membersOf } from "../wire/answer-parts.ts";
import type { TxnContext } from "../wire/messages.ts";
import type { Ask } from "./asking.ts";

export async function commitOrAbort(context: TxnContext, ask: Ask): Promise<TxnContext> {
  const { start_ts, aborted = false, keys = [], preds = [], hash = "" } = context;
  const parameters = new URLSearchParams({ startTs: String(start_ts), ...(aborted && { abort: "true" }), ...(hash !== "" && { hash }) });
  membersOf(await ask({ url: `/commit?${parameters}`, body: JSON.stringify({ keys, preds }), type: "application/json" }));
  return { start_ts, aborted };
}
