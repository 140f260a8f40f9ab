// What is served at the moment: a deployment, and what requests under it share.

import type { Limits } from "../config/limits.ts";
import type { Hooks } from "../contracts/plugin.ts";
import type { Deployment } from "../deploy/deployment.ts";
import { Documents } from "./documents.ts";

/** A deployment with the documents known under it. */
export interface Served {
  readonly deployment: Deployment;
  readonly documents: Documents;
  /** The plugins' hooks that say who asks. */
  readonly askers: readonly NonNullable<Hooks["request"]>[];
}

export function serve(deployment: Deployment, limits: Limits): Served {
  const askers = deployment.hooks.flatMap(({ hooks: { request } }) => (request ? [request] : []));
  return { deployment, documents: new Documents(deployment.api, limits), askers };
}
