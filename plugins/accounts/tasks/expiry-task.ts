// Removes sessions, links and counted tries that count no longer. better-auth removes some of them when it meets them, and leaves the others.

import { setImmediate, setInterval } from "node:timers/promises";
import type { BackgroundContext, BackgroundTask, Predicate } from "../../../core/plugin.ts";
import { storedValue } from "../store/rows.ts";
import { fieldName, typeName } from "../store/tables.ts";

const everyMs = 3_600_000;

/** Of a transaction: others write in between. */
const rowsAtOnce = 200;

/** No window of a limit is as long. */
const keptTriesMs = 2 * 24 * 3_600_000;

export const expiryTask: BackgroundTask = {
  name: "expiry",
  runs: "once",
  async run(context) {
    await removeExpired(context);
    for await (const _ of setInterval(everyMs, undefined, { signal: context.signal })) await removeExpired(context);
  },
};

async function removeExpired(context: BackgroundContext): Promise<void> {
  const now = Date.now();
  const before = storedValue("dateTime", new Date(now));
  for (const table of ["session", "verification"]) await removeRows(context, table, isBelow(table, "expiresAt", String(before)));
  await removeRows(context, "rateLimit", isBelow("rateLimit", "lastRequest", now - keptTriesMs));
}

function isBelow(table: string, column: string, value: string | number): Predicate {
  return { kind: "compare", field: fieldName(table, column), op: "lt", operands: [value] };
}

async function removeRows({ signal, transact }: BackgroundContext, table: string, where: Predicate): Promise<void> {
  for (let count = rowsAtOnce; count === rowsAtOnce && !signal.aborted; ) {
    const { result } = await transact(async (tx) => {
      const { uids } = await tx.find({ types: [typeName(table)], where, page: { first: rowsAtOnce }, fields: [] });
      await tx.write(uids.map((uid) => ({ kind: "remove", uid, type: typeName(table) })));
      return uids.length;
    });
    count = result;
    await setImmediate();
  }
}
