// Logs how far the upgrade of a store has got: its first and last step, and one every two seconds.

import type { MigrationStep } from "../contracts/storage/migration.ts";
import type { Log } from "./log.ts";

const betweenMs = 2_000;

export function upgradeLog(log: Log): (step: MigrationStep) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return ({ what, done, total }) => {
    const now = performance.now();
    if (now - loggedAt < betweenMs && done < total) return;
    loggedAt = now;
    log.info("open", `${what}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")} bytes`, { done, total });
  };
}
