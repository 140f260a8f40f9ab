// Sends a read again when that may help.

import { setTimeout as sleep } from "node:timers/promises";
import { RemoteFailure, type RemoteReply } from "../../remote/index.ts";

const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** @param retries how often it may be sent again */
export async function withRetries(
  send: () => Promise<RemoteReply>,
  { retries, signal }: { readonly retries: number; readonly signal: AbortSignal },
): Promise<RemoteReply> {
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries;
    try {
      const reply = await send();
      if (isLast || !passingStatuses.has(reply.status)) return reply;
    } catch (thrown) {
      if (isLast || signal.aborted || !(thrown instanceof RemoteFailure) || !thrown.passing) throw thrown;
    }
    // The next attempt says why it does not begin.
    await sleep(pauseMs(attempt), undefined, { signal }).catch(() => undefined);
  }
}

/** Doubles, and is random: servers that failed at the same time do not come back at the same time. */
function pauseMs(attempt: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}
