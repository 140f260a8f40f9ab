// Waits for what another process or server will do.

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

export async function eventually(holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  for (const until = Date.now() + withinMs; !(await holds()); await delay(10)) assert.ok(Date.now() < until, `not within ${withinMs} ms: ${holds}`);
}
