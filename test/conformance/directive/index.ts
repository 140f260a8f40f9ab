// Our whole judgement of a directive in one call.

import { behaviourChecks } from "./behaviour-checks.ts";
import type { DirectiveConformanceOptions } from "./kit.ts";
import { schemaChecks } from "./schema-checks.ts";

export type { DirectiveConformanceOptions, Refused, Step } from "./kit.ts";

/** Runs every check of a directive plugin with the runner handed in. All are MUST; each has a stable id. */
export function directiveConformance(options: DirectiveConformanceOptions): void {
  for (const { id, title, run } of schemaChecks) options.test(`${id} MUST ${title}`, () => run(options));
  for (const [name, create] of Object.entries(options.storages)) {
    for (const { id, title, run } of behaviourChecks) options.test(`${id} MUST ${title} (${name})`, () => run(options, create));
  }
}
