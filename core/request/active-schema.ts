// The schema that answers requests: a deployment, and what requests under it share.

import type { Hooks } from "../contracts/plugin.ts";
import type { Limits } from "../ground/limits.ts";
import type { NestedRun } from "../query/operation-context.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import { Documents } from "./documents.ts";

export interface ActiveSchema {
  readonly deployment: Deployment;
  /** Parsed, validated and planned documents. */
  readonly documents: Documents;
  /** The plugins' hooks that identify the caller. */
  readonly requestHooks: readonly NonNullable<Hooks["request"]>[];
  /** The plugins' hooks that say what the caller may read and write. */
  readonly permissionHooks: readonly NonNullable<Hooks["permissions"]>[];
  /** Runs the GraphQL requests that plugins' root fields make. */
  readonly nested: NestedRun;
}

export interface ServeOptions {
  readonly limits: Limits;
  readonly nested: (schema: ActiveSchema) => NestedRun;
}

export function serve(deployment: Deployment, { limits, nested }: ServeOptions): ActiveSchema {
  const requestHooks = deployment.hooks.flatMap(({ hooks: { request } }) => (request ? [request] : []));
  const permissionHooks = deployment.hooks.flatMap(({ hooks: { permissions } }) => (permissions ? [permissions] : []));
  const parts = { deployment, documents: new Documents(deployment.api, limits), requestHooks, permissionHooks };
  const schema: ActiveSchema = { ...parts, nested: (request, nesting) => nested(schema)(request, nesting) };
  return schema;
}
