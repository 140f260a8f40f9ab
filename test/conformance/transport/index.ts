// Our whole judgement of a transport in one call.

import { bodyChecks } from "./body-checks.ts";
import { carryChecks } from "./carry-checks.ts";
import { connectionChecks } from "./connection-checks.ts";
import { runChecks, type TransportConformanceOptions } from "./kit.ts";
import { socketChecks } from "./socket-checks.ts";
import { streamChecks } from "./stream-checks.ts";

export type { TransportConformanceOptions } from "./kit.ts";

/** Runs every check of the transport contract with the runner handed in. Each has a stable id and says MUST or SHOULD. */
export function transportConformance(options: TransportConformanceOptions): void {
  runChecks([...carryChecks, ...bodyChecks, ...connectionChecks, ...streamChecks, ...socketChecks], options);
}
