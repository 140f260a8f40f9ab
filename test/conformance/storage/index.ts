// Our whole judgement of a storage in one call.

import { changeChecks } from "./change-checks.ts";
import { compoundChecks } from "./compound-checks.ts";
import { crashChecks } from "./crash-checks.ts";
import { deployChecks } from "./deploy-checks.ts";
import { eraseChecks } from "./erase-checks.ts";
import { faultChecks } from "./fault-checks.ts";
import { groupChecks } from "./group-checks.ts";
import { hiddenLinkChecks } from "./hidden-link-checks.ts";
import { holdChecks } from "./hold-checks.ts";
import { hubChecks } from "./hub-checks.ts";
import { leaveOut, onBench, type Place, runChecks, type StorageConformanceOptions } from "./kit.ts";
import { lifecycleChecks, unopenedChecks } from "./lifecycle-checks.ts";
import { linkChecks } from "./link-checks.ts";
import { linkedKeyChecks } from "./linked-key-checks.ts";
import { loadChecks } from "./load-checks.ts";
import { nearestChecks } from "./nearest-checks.ts";
import { neighbourChecks } from "./neighbour-checks.ts";
import { orderChecks } from "./order-checks.ts";
import { placeChecks } from "./place-checks.ts";
import { predicateChecks } from "./predicate-checks.ts";
import { randomChecks } from "./random-checks.ts";
import { serverChecks } from "./server-checks.ts";
import { sizeChecks } from "./size-checks.ts";
import { storeChecks } from "./store-checks.ts";
import { transactionChecks } from "./transaction-checks.ts";
import { valueChecks } from "./value-checks.ts";
import { viewChecks } from "./view-checks.ts";

export { crashProgram } from "./crash-program.ts";
export type { CrashPlace, FaultyStorage, Place, Runner, StorageConformanceOptions } from "./kit.ts";

/**
 * Runs every check of the storage contract with the runner handed in. Each has a stable id and says MUST or SHOULD. Checks that need an
 * option that is left out are not judged: a warning on the console names them, and a runner that can skip shows them as skipped.
 */
export function storageConformance({ test, create, crash, faults, servers, place = placeOf(crash) }: StorageConformanceOptions): void {
  const chapters = [
    lifecycleChecks,
    valueChecks,
    neighbourChecks,
    sizeChecks,
    storeChecks,
    viewChecks,
    predicateChecks,
    orderChecks,
    compoundChecks,
    groupChecks,
    nearestChecks,
    linkChecks,
    hubChecks,
    transactionChecks,
    holdChecks,
    linkedKeyChecks,
    loadChecks,
    changeChecks,
    deployChecks,
    hiddenLinkChecks,
    eraseChecks,
    randomChecks,
  ];
  runChecks(test, unopenedChecks, create);
  runChecks(test, chapters.flat().map(onBench), create);
  if (place) runChecks(test, placeChecks, place);
  else leaveOut(test, placeChecks, "place");
  if (crash) runChecks(test, crashChecks, crash);
  else leaveOut(test, crashChecks, "crash");
  if (faults) runChecks(test, faultChecks, faults);
  else leaveOut(test, faultChecks, "faults");
  if (servers) runChecks(test, serverChecks, servers);
  else leaveOut(test, serverChecks, "servers");
}

function placeOf(crash: StorageConformanceOptions["crash"]): (() => Promise<Place>) | undefined {
  return crash && (async () => (await crash()).storage);
}
