// The schema that answers requests: a deployment, and what requests under it share.

import type { Hooks } from "../../contracts/plugin/hooks.ts";
import { Facts } from "../../ground/facts.ts";
import type { Limits } from "../../ground/limits.ts";
import type { NestedRun } from "../../query/operation-context.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { withoutRestrictions } from "../../schema/plugins/hook-table.ts";
import type { PluginHooks } from "../../schema/plugins/plugin-hooks.ts";
import type { AppliedRules } from "./applied-rules.ts";
import { Documents } from "./documents.ts";

export interface ActiveSchema {
  readonly deployment: Deployment;
  /** This schema with the hooks that restrict callers. */
  readonly base: ActiveSchema;
  /** Parsed, validated and planned documents. */
  readonly documents: Documents;
  /** The plugins' hooks that identify the caller. */
  readonly requestHooks: readonly NonNullable<Hooks["request"]>[];
  /** The plugins' hooks that say what the caller may read and write. */
  readonly permissionHooks: readonly NonNullable<Hooks["permissions"]>[];
  /** Runs the GraphQL requests that plugins' root fields make. */
  readonly nested: NestedRun;
  /** The same schema without the hooks that restrict callers, for requests as the system. */
  readonly unrestricted: () => ActiveSchema;
  /** The same schema for one request, which notes in `rules` what restricts its caller. */
  readonly watched: (rules: AppliedRules) => ActiveSchema;
}

export interface ServeOptions {
  readonly limits: Limits;
  readonly nested: (schema: ActiveSchema) => NestedRun;
}

export function serve(deployment: Deployment, options: ServeOptions): ActiveSchema {
  return served(deployment, options);
}

/** @param base undefined: the schema is its own */
function served(deployment: Deployment, { limits, nested }: ServeOptions, base?: ActiveSchema): ActiveSchema {
  const requestHooks = deployment.hooks.flatMap(({ hooks: { request } }) => (request ? [request] : []));
  const permissionHooks = deployment.hooks.flatMap(({ hooks: { permissions } }) => (permissions ? [permissions] : []));
  let unrestricted: ActiveSchema | undefined;
  const schema: ActiveSchema = {
    deployment,
    get base() {
      return base ?? schema;
    },
    documents: new Documents(deployment.api, limits),
    requestHooks,
    permissionHooks,
    nested: (request, nesting) => nested(schema)(request, nesting),
    unrestricted: () => {
      unrestricted ??= served(
        withHooks(deployment, ({ plugin, hooks }) => ({ plugin, hooks: withoutRestrictions(hooks) })),
        { limits, nested },
        schema,
      );
      return unrestricted;
    },
    watched: (rules) =>
      served(
        withHooks(deployment, (each) => rules.watch(each)),
        { limits, nested },
        schema.base,
      ),
  };
  return schema;
}

/** What is found in the deployment may depend on its hooks. */
function withHooks(deployment: Deployment, change: (hooks: PluginHooks) => PluginHooks): Deployment {
  return { ...deployment, hooks: deployment.hooks.map(change), facts: new Facts() };
}
