// Our whole judgement of a transport in one call.

import { bodyChecks } from "./body-checks.ts";
import { carryChecks } from "./carry-checks.ts";
import { connectionChecks } from "./connection-checks.ts";
import { printExemptions, runChecks, type TransportConformanceOptions } from "./kit.ts";
import { passingChecks } from "./passing-checks.ts";
import { socketChecks } from "./socket-checks.ts";
import { streamChecks } from "./stream-checks.ts";

export type { Exemption, TransportConformanceOptions } from "./kit.ts";

const checks = [...carryChecks, ...bodyChecks, ...passingChecks, ...connectionChecks, ...streamChecks, ...socketChecks];

/**
 * Runs every check of the transport contract with the runner handed in. Each has a stable id and says MUST or SHOULD. What the transport is exempt from is
 * printed with its reason.
 */
export function transportConformance(options: TransportConformanceOptions): void {
  printExemptions(checks, options.exempt);
  runChecks(checks, options);
}
