// Prepares a deployment from a schema text and plugins. Storage still has to accept its layout.

import type { DocumentNode } from "graphql";
import type { Pattern } from "../../contracts/plugin/compile-context.ts";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import { QuernError } from "../../ground/errors.ts";
import { isStackOverflow } from "../../ground/too-deep.ts";
import type { Work } from "../../ground/work.ts";
import { generateApi } from "../api/generate.ts";
import { installHint, livePlugin } from "../document/known-plugins.ts";
import { Problems, refusal, withoutLocation } from "../document/problems.ts";
import type { History } from "../model/kept-names.ts";
import { buildDeployment } from "./build-deployment.ts";
import type { PreparedDeployment } from "./deployment.ts";

/** Compiles a query into a predicate on nodes. The planner implements it; this layer does not depend on the planner. */
export type CompilePattern = (query: DocumentNode, deployment: Pick<PreparedDeployment, "api" | "hooks" | "facts">) => Pattern;

export interface PrepareOptions {
  readonly plugins: readonly DirectivePlugin[];
  readonly compilePattern: CompilePattern;
  /** The previous deployment. Default: none. */
  readonly history?: History | undefined;
  /** Tokens of the text. Default: any number. */
  readonly maxTokens?: number | undefined;
}

/**
 * A pure function: does not access storage or start anything.
 *
 * @throws QuernError `SCHEMA_INVALID` with the located errors of the failing stage in `errors`, `PLUGIN_CLASH` when plugins
 * contradict each other, `PLUGIN_MISSING` for live queries that no plugin runs
 */
export function* prepareSchema(text: string, options: PrepareOptions): Work<PreparedDeployment> {
  try {
    return yield* prepare(text, options);
  } catch (thrown) {
    if (!isStackOverflow(thrown)) throw thrown;
    throw refusal([new QuernError("SCHEMA_INVALID", "The schema is nested more deeply than this server can follow.")]);
  }
}

function* prepare(text: string, { plugins, compilePattern, history, maxTokens }: PrepareOptions): Work<PreparedDeployment> {
  const {
    definitions,
    expanded: _,
    additions,
    directiveDefinitions,
    shown,
    ...deployment
  } = yield* buildDeployment(text, plugins, { history, maxTokens });
  const api = yield* generateApi({ model: deployment.model, definitions, directiveDefinitions, additions, shown });
  if (api.subscriptions.size > 0) assertLiveEngine(plugins);
  const prepared = { ...deployment, api };
  yield* compileHooks(prepared, compilePattern);
  return prepared;
}

/** Other plugins may declare live queries too. */
function assertLiveEngine(plugins: readonly DirectivePlugin[]): void {
  if (plugins.some(({ liveEngine }) => liveEngine !== undefined)) return;
  const message = `The schema has live queries, and no installed plugin runs them, as the plugin "${livePlugin}" does.`;
  throw new QuernError("PLUGIN_MISSING", message, { hint: installHint(livePlugin) });
}

/** Lets plugins check and compile against the generated API. */
function* compileHooks(prepared: PreparedDeployment, compilePattern: CompilePattern): Work<void> {
  const problems = new Problems();
  for (const { hooks } of prepared.hooks) {
    hooks.compile?.({
      schema: prepared.api.schema,
      model: prepared.model,
      layout: prepared.layout,
      filters: prepared.filters,
      report: (message, at, hint) => problems.report(message, at, hint, withoutLocation),
      sdl: prepared.api.sdl,
      pattern: (query) => compilePattern(query, prepared),
    });
    yield;
  }
  problems.assertNone();
}
