// One client for several databases: its connections are shared by all, however many there are.

import type { Reached, SharedClient } from "./connection.ts";

/** @param reach connects */
export function sharedClient(reach: () => Promise<Reached>): SharedClient {
  let users = 0;
  let reached: Promise<Reached> | undefined;
  const leave = async () => {
    users--;
    if (users > 0) return;
    const last = reached;
    reached = undefined;
    await (await last)?.close();
  };
  return {
    async join() {
      users++;
      reached ??= reach();
      const joined = reached;
      try {
        const found = await joined;
        let isIn = true;
        const close = async () => {
          if (!isIn) return;
          isIn = false;
          await leave();
        };
        return { ...found, close };
      } catch (thrown) {
        users--;
        // Who comes next tries anew.
        if (reached === joined) reached = undefined;
        throw thrown;
      }
    },
  };
}
