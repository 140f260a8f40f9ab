// What is served at the moment: a deployment, and what requests under it share.

import type { Hooks } from "../contracts/plugin.ts";
import type { Deployment } from "../deploy/deployment.ts";
import type { Execution } from "../execution.ts";
import type { ContextOptions } from "./context.ts";
import { Documents } from "./documents.ts";
import { nestedRuns } from "./run-nested.ts";

/** A deployment with the documents known under it. */
export interface Served {
  readonly deployment: Deployment;
  readonly documents: Documents;
  /** The plugins' hooks that say who asks. */
  /** Runs what plugins' root fields ask for. */
  readonly nested: NonNullable<Execution["nested"]>;
  readonly askers: readonly NonNullable<Hooks["request"]>[];
}

export function serve(deployment: Deployment, options: ContextOptions): Served {
  const askers = deployment.hooks.flatMap(({ hooks: { request } }) => (request ? [request] : []));
  const parts = { deployment, documents: new Documents(deployment.api, options.limits), askers };
  const served: Served = { ...parts, nested: (request, nesting) => nestedRuns(served, options)(request, nesting) };
  return served;
}
