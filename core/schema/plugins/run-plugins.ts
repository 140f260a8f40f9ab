// Calls the plugins' `model` hooks in order.

import type { ConstDirectiveNode, DocumentNode, TypeDefinitionNode } from "graphql";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import type { Hooks } from "../../contracts/plugin/hooks.ts";
import type { DirectiveUse, FormerNames, ModelContext, Recorder, SettingLine, UnstoredUse } from "../../contracts/plugin/model-context.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Work } from "../../ground/work.ts";
import { fieldsOf } from "../document/definitions.ts";
import type { Expanded } from "../document/inheritance.ts";
import type { Problems, Thoroughness } from "../document/problems.ts";
import { CheckedRecorder } from "../model/checked-recorder.ts";
import type { ModelDraft, NodeTypeDraft } from "../model/draft.ts";
import type { ArgumentValues, DirectiveArguments } from "./directive-arguments.ts";
import { tried } from "./guard-call.ts";
import { type GuardOptions, guardHooks } from "./guard-hooks.ts";
import type { HookHost } from "./hook-host.ts";
import type { PluginHooks } from "./plugin-hooks.ts";

export interface PluginRun extends GuardOptions {
  /** The schema text as written. */
  readonly document: DocumentNode;
  readonly plugins: readonly DirectivePlugin[];
  readonly expanded: Expanded;
  readonly directiveArguments: DirectiveArguments;
  readonly model: ModelDraft;
  readonly settings: ReadonlyMap<string, readonly SettingLine[]>;
  readonly problems: Problems;
  /** `"all"`: what a plugin throws is reported, and the others go on that do not build on it. `"first"`: it ends the deploy. */
  readonly report: Thoroughness;
  /** What calls the hooks. */
  readonly host: HookHost;
  /** Undefined if nothing was deployed before. */
  readonly former?: FormerNames | undefined;
  /** The recorder for the facts of a plugin. */
  readonly recorderFor: (plugin: DirectivePlugin) => Recorder;
}

/** The hooks of each plugin, guarded, a plugin a step; plugins whose `model` hook returned nothing are omitted. */
export function* runModelHooks(run: PluginRun): Work<readonly PluginHooks[]> {
  const all: PluginHooks[] = [];
  const failed = new Set<string>();
  for (const plugin of run.plugins) {
    if ([...(plugin.after ?? []), ...(plugin.follows ?? [])].some((name) => failed.has(name))) {
      failed.add(plugin.name);
      continue;
    }
    const hooks = reportedModelHook(plugin, run, failed);
    if (hooks) all.push({ plugin: plugin.name, hooks: guardHooks(plugin.name, hooks, run) });
    yield;
  }
  return all;
}

function reportedModelHook(plugin: DirectivePlugin, run: PluginRun, failed: Set<string>): Hooks | undefined {
  try {
    return callModelHook(plugin, run);
  } catch (thrown) {
    if (run.report === "first" || !(thrown instanceof QuernError) || thrown.code !== "SCHEMA_INVALID") throw thrown;
    run.problems.add(thrown);
    failed.add(plugin.name);
    return undefined;
  }
}

function callModelHook(plugin: DirectivePlugin, run: PluginRun): Hooks | undefined {
  const recorder = new CheckedRecorder(run.recorderFor(plugin), { plugin: plugin.name, model: run.model });
  try {
    return tried(() => plugin.model(contextFor(plugin, recorder, run)), { place: { plugin: plugin.name, hook: "model" }, host: run.host });
  } finally {
    recorder.close();
  }
}

function contextFor(plugin: DirectivePlugin, record: Recorder, run: PluginRun): ModelContext {
  const { document, model, expanded, settings, problems, former } = run;
  function uses(directive: string): readonly DirectiveUse[];
  function uses(directive: string, on: "unstored"): readonly UnstoredUse[];
  function uses(directive: string, on?: "unstored"): readonly (DirectiveUse | UnstoredUse)[] {
    const usesOf = on === "unstored" ? unstoredUsesIn : usesIn;
    return expanded.definitions.flatMap((definition): readonly (DirectiveUse | UnstoredUse)[] => usesOf(definition, directive, run));
  }
  return {
    model,
    document,
    uses,
    report: (message, at, hint) => problems.report(message, at, hint),
    settings: (keyword) => ([...(plugin.settings ?? []), ...(plugin.alsoReads ?? [])].includes(keyword) ? (settings.get(keyword) ?? []) : []),
    record,
    former,
  };
}

function usesIn(definition: TypeDefinitionNode, directive: string, { expanded, model, directiveArguments }: PluginRun): readonly DirectiveUse[] {
  const type = model.nodeTypes.get(definition.name.value);
  const from = expanded.inherited.get(definition.name.value);
  const named = directivesNamed(directive);
  const onType = named(definition).map((node) => ({ node, definition, type, field: undefined, inherited: from?.directives.has(node) ?? false }));
  return [...onType, ...(type ? usesOnFields(definition, type, named) : [])].map((use) => new Use(use, directiveArguments));
}

/** Coerces the arguments on first access. */
class Use implements DirectiveUse {
  readonly node: DirectiveUse["node"];
  readonly definition: DirectiveUse["definition"];
  readonly type: DirectiveUse["type"];
  readonly field: DirectiveUse["field"];
  readonly inherited: boolean;
  readonly #arguments: DirectiveArguments;

  constructor({ node, definition, type, field, inherited }: WrittenUse, read: DirectiveArguments) {
    this.node = node;
    this.definition = definition;
    this.type = type;
    this.field = field;
    this.inherited = inherited;
    this.#arguments = read;
  }

  get args(): ArgumentValues {
    return this.#arguments.of(this.node);
  }
}

type WrittenUse = Omit<DirectiveUse, "args">;

function unstoredUsesIn(definition: TypeDefinitionNode, directive: string, { model, directiveArguments }: PluginRun): readonly UnstoredUse[] {
  if (model.nodeTypes.has(definition.name.value)) return [];
  return fieldsOf(definition).flatMap((field) =>
    directivesNamed(directive)(field).map((node) => ({
      node,
      definition,
      field,
      get args() {
        return directiveArguments.of(node);
      },
    })),
  );
}

type NamedDirectives = (node: { readonly directives?: readonly ConstDirectiveNode[] | undefined }) => readonly ConstDirectiveNode[];

function directivesNamed(directive: string): NamedDirectives {
  return (node) => node.directives?.filter((each) => each.name.value === directive) ?? [];
}

function usesOnFields(definition: TypeDefinitionNode, type: NodeTypeDraft, named: NamedDirectives): readonly WrittenUse[] {
  return fieldsOf(definition).flatMap((node) => {
    const field = type.fields.get(node.name.value);
    if (!field) return [];
    const declared = field.origin === type ? undefined : field.origin.fields.get(field.name)?.definition.directives;
    return named(node).map((use) => ({ node: use, definition, type, field, inherited: declared?.includes(use) ?? field.origin !== type }));
  });
}
