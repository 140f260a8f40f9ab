// Prepares a deployment from a schema text and plugins. Storage still has to accept its layout.

import type { DocumentNode } from "graphql";
import type { Pattern } from "../../contracts/plugin/compile-context.ts";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import type { SettingLine } from "../../contracts/plugin/model-context.ts";
import type { ErrorStyle } from "../../ground/error-style.ts";
import { QuernError } from "../../ground/errors.ts";
import { shownFault } from "../../ground/plugin-fault.ts";
import { isStackOverflow } from "../../ground/too-deep.ts";
import type { Work } from "../../ground/work.ts";
import { generateApi } from "../api/generate.ts";
import { readInstalled } from "../document/installed.ts";
import { installHint, livePlugin } from "../document/known-plugins.ts";
import { locationOf } from "../document/locations.ts";
import { parseDocument, type SchemaDocument, withoutByteOrderMark } from "../document/parse-document.ts";
import { inTextOrder, Problems, refusal, type Thoroughness, withoutLocation } from "../document/problems.ts";
import { readEverySetting, readSettings } from "../document/settings.ts";
import { SourcePlaces } from "../document/source-places.ts";
import { isLocation, Suspects } from "../document/suspects.ts";
import type { History } from "../model/kept-names.ts";
import type { GuardOptions } from "../plugins/guard-hooks.ts";
import type { HookHost } from "../plugins/hook-host.ts";
import { buildDocument, type ParsedSchema } from "./build-deployment.ts";
import type { PreparedDeployment } from "./deployment.ts";
import { everyMistake, type Judging } from "./every-mistake.ts";

/** Compiles a query into a predicate on nodes. The planner implements it; this layer does not depend on the planner. */
export type CompilePattern = (query: DocumentNode, deployment: Pick<PreparedDeployment, "api" | "hooks" | "facts">) => Pattern;

export interface PrepareOptions extends GuardOptions {
  readonly plugins: readonly DirectivePlugin[];
  readonly compilePattern: CompilePattern;
  /** The previous deployment. Default: none. */
  readonly history?: History | undefined;
  /** Tokens of the text. Default: any number. */
  readonly maxTokens?: number | undefined;
  /** Default: `"plain"`, all mistakes of the schema at once. */
  readonly errors?: ErrorStyle | undefined;
  /** What calls the hooks. Default: it waits as long as limits are by default, and reports nothing. */
  readonly host?: HookHost | undefined;
}

/**
 * A pure function: does not access storage or start anything.
 *
 * @throws QuernError `SCHEMA_INVALID` with all errors in `errors`, or in the compatible style with those of the failing stage; `PLUGIN_CLASH` when plugins
 * contradict each other, `PLUGIN_MISSING` for live queries that no plugin runs, `PLUGIN_FAILED` for a plugin that throws something unexpected
 */
export function* prepareSchema(text: string, options: PrepareOptions): Work<PreparedDeployment> {
  try {
    return yield* options.errors === "compatible" ? prepareInStages(text, options) : preparePlain(text, options);
  } catch (thrown) {
    if (!isStackOverflow(thrown)) throw shownFault(thrown);
    throw refusal([new QuernError("SCHEMA_INVALID", "The schema is nested more deeply than this server can follow.")]);
  }
}

function* prepareInStages(text: string, options: PrepareOptions): Work<PreparedDeployment> {
  const comments = readSettings(text, options.plugins);
  yield;
  const document = parseDocument(text, options.maxTokens);
  yield;
  return yield* prepare({ text, document, ...comments }, { ...options, report: "first" });
}

function* preparePlain(text: string, options: PrepareOptions): Work<PreparedDeployment> {
  const { errors, refused, ...comments } = readEverySetting(text, options.plugins);
  yield;
  const document = parsedBeside(errors, text, options.maxTokens);
  yield;
  const schema = { text, document, ...comments };
  try {
    const prepared = yield* prepare(schema, { ...options, report: "all" });
    if (errors.length === 0) return prepared;
    throw refusal([]);
  } catch (thrown) {
    if (!(thrown instanceof QuernError) || thrown.code !== "SCHEMA_INVALID") throw thrown;
    const mistakes = yield* everyMistake(document, thrown.errors, judgingOf(schema, refused, options));
    throw refusal(inTextOrder([...errors, ...mistakes].map(located)));
  }
}

/** @throws QuernError `SCHEMA_INVALID` with `errors` and the first syntax error */
function parsedBeside(errors: readonly QuernError[], text: string, maxTokens: number | undefined): SchemaDocument {
  try {
    return parseDocument(text, maxTokens);
  } catch (thrown) {
    throw thrown instanceof QuernError && errors.length > 0 ? refusal(inTextOrder([...errors, ...thrown.errors].map(located))) : thrown;
  }
}

function judgingOf(schema: ParsedSchema, refused: readonly SettingLine[], options: PrepareOptions): Judging {
  const { document, text } = schema;
  const places = new SourcePlaces(withoutByteOrderMark(text));
  const suspects = new Suspects(places);
  for (const { line } of refused) suspects.addWords(line);
  const own = new Set(document.directives.map(({ name }) => name.value));
  const { directives } = readInstalled(options.plugins, document.written);
  return {
    attempt: (repaired, isLast) => prepare({ ...schema, document: repaired }, { ...options, report: "all", isLast }),
    places,
    suspects,
    isDirective: (name) => own.has(name) || directives.has(name),
  };
}

/** With the place that the compatible style does not show. */
function located(error: QuernError): QuernError {
  const { code, message, hint, locations = [], details, cause } = error;
  if (locations.length > 0 || !isLocation(details.place)) return error;
  return new QuernError(code, message, { locations: [details.place], details, cause, ...(hint !== undefined && { hint }) });
}

interface StageOptions extends PrepareOptions {
  readonly report: Thoroughness;
  /** Called before the last stage. */
  readonly isLast?: () => void;
}

function* prepare(
  schema: ParsedSchema,
  { plugins, compilePattern, history, report, isLast, host, freezesArguments }: StageOptions,
): Work<PreparedDeployment> {
  const {
    definitions,
    expanded: _,
    additions,
    directiveDefinitions,
    shown,
    ...deployment
  } = yield* buildDocument(schema, plugins, { history, report, host, freezesArguments });
  const api = yield* generateApi({ model: deployment.model, definitions, directiveDefinitions, additions, shown });
  if (api.subscriptions.size > 0) assertLiveEngine(plugins);
  const prepared = { ...deployment, api };
  isLast?.();
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
      report: (message, at, hint, about) => problems.report(message, at, hint, { ...withoutLocation, ...(about && { place: locationOf(about) }) }),
      sdl: prepared.api.sdl,
      pattern: (query) => compilePattern(query, prepared),
    });
    yield;
  }
  problems.assertNone();
}
