// Our whole judgement of a storage in one call.

import { changeChecks } from "./change-checks.ts";
import { deployChecks } from "./deploy-checks.ts";
import { runChecks, type StorageConformanceOptions } from "./kit.ts";
import { lifecycleChecks } from "./lifecycle-checks.ts";
import { linkChecks } from "./link-checks.ts";
import { orderChecks } from "./order-checks.ts";
import { predicateChecks } from "./predicate-checks.ts";
import { randomChecks } from "./random-checks.ts";
import { transactionChecks } from "./transaction-checks.ts";
import { valueChecks } from "./value-checks.ts";

export type { Runner, StorageConformanceOptions } from "./kit.ts";

/** Runs every check of the storage contract with the runner handed in. Each has a stable id and says MUST or SHOULD. */
export function storageConformance(options: StorageConformanceOptions): void {
  const chapters = [
    lifecycleChecks,
    valueChecks,
    predicateChecks,
    orderChecks,
    linkChecks,
    transactionChecks,
    changeChecks,
    deployChecks,
    randomChecks,
  ];
  runChecks(chapters.flat(), options);
}
