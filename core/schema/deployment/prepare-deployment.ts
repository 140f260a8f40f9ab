// A schema text and plugins to a deployment that only waits for storage to accept its layout.

import type { DocumentNode } from "graphql";
import type { DirectivePlugin, Pattern } from "../../contracts/plugin.ts";
import { QuernError } from "../../ground/errors.ts";
import { isStackOverflow } from "../../ground/too-deep.ts";
import { generateApi } from "../api/generate.ts";
import { Problems, refusal, withoutLocation } from "../document/problems.ts";
import type { History } from "../model/kept-names.ts";
import { buildDeployment } from "./build-deployment.ts";
import type { PreparedDeployment } from "./deployment.ts";

/** Compiles a query into a condition on nodes. The planner implements it: a schema is prepared without knowledge of plans. */
export type CompilePattern = (query: DocumentNode, deployment: Pick<PreparedDeployment, "api" | "hooks">) => Pattern;

export interface PrepareOptions {
  readonly plugins: readonly DirectivePlugin[];
  readonly compilePattern: CompilePattern;
  /** What was deployed before. Default: nothing. */
  readonly history?: History | undefined;
}

/**
 * Pure: touches no storage, starts nothing.
 *
 * @throws QuernError `SCHEMA_INVALID` with the located errors of the stage that refuses in `errors`, `PLUGIN_CLASH` when plugins
 * contradict each other
 */
export function prepareSchema(text: string, options: PrepareOptions): PreparedDeployment {
  try {
    return prepare(text, options);
  } catch (thrown) {
    if (!isStackOverflow(thrown)) throw thrown;
    throw refusal([new QuernError("SCHEMA_INVALID", "The schema is nested more deeply than this server can follow.")]);
  }
}

function prepare(text: string, { plugins, compilePattern, history }: PrepareOptions): PreparedDeployment {
  const { definitions, expanded: _, additions, ...deployment } = buildDeployment(text, plugins, { history });
  const api = generateApi({
    model: deployment.model,
    definitions,
    directiveDefinitions: plugins.map((plugin) => plugin.definitions),
    additions,
  });
  const prepared = { ...deployment, api };
  compileHooks(prepared, compilePattern);
  return prepared;
}

/** What plugins have to say about the API that came of it. */
function compileHooks(prepared: PreparedDeployment, compilePattern: CompilePattern): void {
  const problems = new Problems();
  for (const { hooks } of prepared.hooks) {
    hooks.compile?.({
      schema: prepared.api.schema,
      report: (message, at, hint) => problems.report(message, at, hint, withoutLocation),
      pattern: (query) => compilePattern(query, prepared),
    });
  }
  problems.assertNone();
}
