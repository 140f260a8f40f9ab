// The conformance kit for directive plugins.

import { argumentChecks } from "./argument-checks.ts";
import { behaviourChecks } from "./behaviour-checks.ts";
import { faultChecks } from "./fault-checks.ts";
import type { DirectiveConformanceOptions } from "./kit.ts";
import { schemaChecks } from "./schema-checks.ts";

export type { DirectiveConformanceOptions, Refused, Step } from "./kit.ts";

/** Registers all checks of a directive plugin with the given test runner. Every check is a MUST and has a stable id. */
export function directiveConformance(options: DirectiveConformanceOptions): void {
  for (const { id, title, run } of schemaChecks) options.test(`${id} MUST ${title}`, () => run(options));
  for (const [name, create] of Object.entries(options.storages)) {
    for (const { id, title, run } of [...behaviourChecks, ...argumentChecks, ...faultChecks])
      options.test(`${id} MUST ${title} (${name})`, () => run(options, create));
  }
}
