// Builds model, plugin hooks and storage layout from a schema text: every stage of a deploy except the API.

import type { TypeDefinitionNode } from "graphql";
import type { Model } from "../../contracts/model.ts";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import { Facts } from "../../ground/facts.ts";
import type { Work } from "../../ground/work.ts";
import type { PluginAdditions } from "../api/additions.ts";
import type { ShownFields } from "../api/api.ts";
import { withoutClientDirectives } from "../document/client-directives.ts";
import { isRoot } from "../document/definitions.ts";
import { type Expanded, expandInterfaces } from "../document/inheritance.ts";
import { definitionsText, givenTypes, type Installed, isUnstored, readInstalled } from "../document/installed.ts";
import { checkPluginsAreInstalled } from "../document/missing-plugins.ts";
import { parseDocument, type SchemaDocument } from "../document/parse-document.ts";
import { checkPlainRootFields, withoutForeignRootFields } from "../document/plain-root-fields.ts";
import { checkDefinitions, checkHasStoredField } from "../document/post-checks.ts";
import { checkAsWritten } from "../document/pre-checks.ts";
import { Problems, type Thoroughness } from "../document/problems.ts";
import { readSettings, type SettingComments } from "../document/settings.ts";
import { checkStandard } from "../document/standard-validation.ts";
import { buildLayout, type PluginLayout, standingAdditions } from "../layout/layout.ts";
import { buildModel } from "../model/build.ts";
import type { ModelDraft } from "../model/draft.ts";
import { formerNames } from "../model/former-names.ts";
import { freezeModel } from "../model/freeze.ts";
import { keepNames } from "../model/keep-names.ts";
import { type History, keptAfter, nothingKept } from "../model/kept-names.ts";
import { ModelRecorder } from "../model/recorder.ts";
import { type Fact, teeRecorder } from "../model/tee-recorder.ts";
import { checkRootFieldsAreClaimed, checkUnstoredFieldsAreClaimed } from "../plugins/claimed-fields.ts";
import { DirectiveArguments } from "../plugins/directive-arguments.ts";
import type { GuardOptions } from "../plugins/guard-hooks.ts";
import { type HookHost, quietHost } from "../plugins/hook-host.ts";
import { assertNamedAdditions } from "../plugins/named-additions.ts";
import type { PluginHooks } from "../plugins/plugin-hooks.ts";
import { runModelHooks } from "../plugins/run-plugins.ts";
import { checkComparisons, recordShownFields, shownFields } from "../plugins/shown-fields.ts";
import type { PreparedDeployment } from "./deployment.ts";

export interface BuiltDeployment extends Omit<PreparedDeployment, "api"> {
  /** The schema's definitions in source order, as served: with inherited fields and directives of plugins, without directives of the schema's own. */
  readonly definitions: readonly TypeDefinitionNode[];
  /** The definitions as written, with inherited fields. */
  readonly expanded: Expanded;
  /** Additions of the plugins to the API. */
  readonly additions: readonly PluginAdditions[];
  /** SDL of each plugin's directives and the types of their arguments. */
  readonly directiveDefinitions: readonly string[];
  /** Fields of which callers get other values than the stored ones. */
  readonly shown: ShownFields | undefined;
}

export interface BuildOptions extends GuardOptions {
  /** The previous deployment. Default: none. */
  readonly history?: History | undefined;
  /** Tokens of the text. Default: any number. */
  readonly maxTokens?: number | undefined;
  /** How much of what is wrong is reported. Default: `"first"`. */
  readonly report?: Thoroughness | undefined;
  /** Receives every fact that a plugin records. */
  readonly onFact?: (plugin: string, fact: Fact) => void;
  /** What calls the hooks. Default: it waits as long as limits are by default, and reports nothing. */
  readonly host?: HookHost | undefined;
}

/**
 * Runs in stages: a stage with problems ends the deploy. Each is a step, and so is what one plugin does in it.
 *
 * @throws QuernError `SCHEMA_INVALID` with all errors of the failing stage, with locations in `text`
 * @see reference/schema.md 0
 */
export function* buildDeployment(text: string, plugins: readonly DirectivePlugin[], options: BuildOptions = {}): Work<BuiltDeployment> {
  const comments = readSettings(text, plugins);
  yield;
  const document = parseDocument(text, options.maxTokens);
  yield;
  return yield* buildDocument({ text, document, ...comments }, plugins, options);
}

/** A schema whose text is parsed. */
export interface ParsedSchema extends SettingComments {
  readonly text: string;
  readonly document: SchemaDocument;
}

/** The stages after parsing, as `buildDeployment`. */
export function* buildDocument(
  { text, document: own, settings, lines }: ParsedSchema,
  plugins: readonly DirectivePlugin[],
  { history = noHistory, report = "first", onFact, host = quietHost(), freezesArguments }: BuildOptions,
): Work<BuiltDeployment> {
  const document = { ...own, definitions: [...own.definitions, ...givenTypes(plugins, own.written)] };
  const installed = readInstalled(plugins, document.written);
  const directiveArguments = new DirectiveArguments(plugins, document.written);
  const expanded = yield* checkedDefinitions(document, directiveArguments, { installed, report });
  yield;

  const problems = new Problems();
  checkDefinitions(expanded.definitions, (definition) => isUnstored(definition, plugins), problems);
  yield;
  const draft = draftOf(expanded, plugins);
  yield;
  const former = formerNames(history);
  const recorder = new ModelRecorder(draft, former);
  keepNames(draft, history.kept, recorder);
  const recorderFor = ({ name }: DirectivePlugin) => (onFact === undefined ? recorder : teeRecorder(recorder, (fact) => onFact(name, fact)));
  const read = { document: document.written, plugins, expanded, directiveArguments, settings: lines, host };
  yield;
  const hooks = yield* runModelHooks({ ...read, model: draft, problems, report, former, recorderFor, freezesArguments });
  recordShownFields(hooks, recorder);
  recorder.resolveNameConflicts();
  yield;
  checkHasStoredField(draft, (field) => recorder.isComputed(field), problems);
  for (const field of recorder.misplacedKeys()) {
    const place = `Type ${field.owner.name}; Field ${field.name}`;
    problems.report(`${place}: a key must be a stored value, and the field is ${field.role === "link" ? "a link" : "computed"}.`, field.definition);
  }
  problems.assertNone();

  const model = freezeModel(draft);
  yield;
  const kept = keptAfter(model, history, (thing) => recorder.keeps(thing));
  yield;
  const layouts: readonly PluginLayout[] = yield* ofEach(hooks, ({ plugin, hooks: { layout: add } }) => ({ ...add?.(), plugin }));
  const layout = buildLayout(model, [...standingAdditions(plugins), ...layouts]);
  yield;
  const additions: readonly PluginAdditions[] = yield* ofEach(hooks, ({ plugin, hooks: { api: add } }) => ({ ...add?.(), plugin }));
  assertNamedAdditions(additions, { plugins, document: document.written, definitions: expanded.definitions });
  checkRootFieldsAreClaimed(expanded.definitions, additions, { problems, report });
  checkUnstoredFieldsAreClaimed(model, additions, problems);
  const shown = shownFields(hooks);
  checkComparisons({ shown, types: model.nodeTypes.values(), layouts, additions }, problems);
  problems.assertNone();
  const definitions = servedDefinitions(expanded, model);
  const filters = additions.flatMap((each) => each.filters ?? []);
  const headers = hooks.flatMap(({ hooks: { headers } }) => headers ?? []);
  const directiveDefinitions = plugins.map((plugin) => definitionsText(plugin, document.written));
  return {
    document: text,
    settings: { ...settings, headers },
    lines,
    model,
    layout,
    hooks,
    definitions,
    expanded,
    additions,
    filters,
    directiveDefinitions,
    shown,
    kept,
    facts: new Facts(),
  };
}

/** What each plugin adds, a plugin a step. */
function* ofEach<Added>(plugins: readonly PluginHooks[], added: (plugin: PluginHooks) => Added): Work<readonly Added[]> {
  const all: Added[] = [];
  for (const plugin of plugins) {
    all.push(added(plugin));
    yield;
  }
  return all;
}

/** The model before plugins record facts. */
export function draftOf({ definitions, inherited }: Expanded, plugins: readonly DirectivePlugin[]): ModelDraft {
  const own = definitions.filter((definition) => !isRoot(definition));
  return buildModel({
    definitions: own.filter((definition) => !isUnstored(definition, plugins)),
    unstored: own.filter((definition) => isUnstored(definition, plugins)),
    origins: new Map([...inherited].map(([type, { fields }]) => [type, fields])),
  });
}

/** The definitions with the directives that plugins added. */
export function servedDefinitions({ definitions }: Expanded, model: Model): readonly TypeDefinitionNode[] {
  return definitions.map((definition) => model.nodeTypes.get(definition.name.value)?.definition ?? definition);
}

const noHistory: History = { deployed: undefined, kept: nothingKept };

interface DefinitionsCheck {
  readonly installed: Installed;
  /** `"first"`: in stages, of which the first with problems ends the check. */
  readonly report: Thoroughness;
}

/** Validates everything that does not depend on the meaning of directives. */
function* checkedDefinitions(
  document: SchemaDocument,
  directiveArguments: DirectiveArguments,
  { installed, report }: DefinitionsCheck,
): Work<Expanded> {
  const problems = new Problems();
  const check = { installed, problems, report };
  checkAsWritten(document.definitions, check);
  checkPluginsAreInstalled(document, installed, problems);
  if (report === "first") problems.assertNone();
  yield;
  const expanded = expandInterfaces(document.definitions, installed, problems);
  if (report === "first") problems.assertNoFirst();
  yield;
  const isSound = problems.none;
  const standard = problems.fork();
  checkStandard(expanded, document, { ...check, problems: standard });
  if (standard.size > problems.size && !isSoundWithoutForeignRootFields(expanded, document, check)) {
    if (isSound) assertSoundRootFields(expanded, document, check);
    problems.take(standard);
  }
  if (report === "first") problems.assertNone();
  yield;
  directiveArguments.check(expanded.definitions, problems);
  problems.assertNone();
  yield;
  return { ...expanded, definitions: expanded.definitions.map((definition) => withoutClientDirectives(definition, installed)) };
}

/** The types that plain root fields name may be those of the plugin that answers them: the assembled API is checked for them. */
function isSoundWithoutForeignRootFields(expanded: Expanded, document: SchemaDocument, { installed }: DefinitionsCheck): boolean {
  const others = new Problems();
  const definitions = withoutForeignRootFields(expanded.definitions, installed);
  checkStandard({ ...expanded, definitions }, document, { installed, problems: others, report: "first" });
  return others.none;
}

/** Of a schema that is wrong in nothing but its root fields, those without a directive are the mistake, and not the types that they name. */
function assertSoundRootFields(expanded: Expanded, document: SchemaDocument, check: DefinitionsCheck): void {
  const others = new Problems();
  const definitions = expanded.definitions.filter((each) => !isRoot(each));
  checkStandard({ definitions }, document, { ...check, problems: others, report: "first" });
  if (!others.none) return;
  const plain = new Problems();
  checkPlainRootFields(expanded.definitions, { ...check, problems: plain });
  plain.assertNone();
}
