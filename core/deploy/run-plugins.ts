// Calls the plugins' `model` hooks, in order, each with its own uses, comments and reports.

import { type ConstDirectiveNode, Kind, type TypeDefinitionNode } from "graphql";
import type { DirectivePlugin, DirectiveUse, FormerNames, ModelContext, Recorder, SettingLine, UnstoredUse } from "../contracts/plugin.ts";
import type { ModelDraft, NodeTypeDraft } from "../model/draft.ts";
import { fieldsOf } from "./definitions.ts";
import type { PluginHooks } from "./deployment.ts";
import type { Expanded } from "./inheritance.ts";
import type { Problems } from "./problems.ts";

export interface PluginRun {
  readonly plugins: readonly DirectivePlugin[];
  readonly expanded: Expanded;
  readonly model: ModelDraft;
  readonly settings: ReadonlyMap<string, readonly SettingLine[]>;
  readonly problems: Problems;
  /** Undefined: nothing was deployed before. */
  readonly former?: FormerNames | undefined;
  /** Takes what a plugin records. */
  readonly recorderFor: (plugin: DirectivePlugin) => Recorder;
}

/** What the hooks returned; plugins that found nothing are left out. */
export function runModelHooks(run: PluginRun): readonly PluginHooks[] {
  return run.plugins.flatMap((plugin) => {
    const hooks = plugin.model(contextFor(plugin, run));
    return hooks ? [{ plugin: plugin.name, hooks }] : [];
  });
}

function contextFor(plugin: DirectivePlugin, { model, expanded, settings, problems, former, recorderFor }: PluginRun): ModelContext {
  return {
    model,
    uses: (directive) => expanded.definitions.flatMap((definition) => usesIn(definition, directive, expanded, model)),
    unstoredUses: (directive) => expanded.definitions.flatMap((definition) => unstoredUsesIn(definition, directive, model)),
    usesElsewhere: (directive) =>
      expanded.definitions
        .filter((definition) => !model.nodeTypes.has(definition.name.value))
        .flatMap((definition) => fieldsOf(definition).flatMap((field) => field.directives ?? []))
        .filter((each) => each.name.value === directive),
    report: (message, at, hint) => problems.report(message, at, hint),
    settings: (keyword) => (plugin.settings?.includes(keyword) ? (settings.get(keyword) ?? []) : []),
    record: recorderFor(plugin),
    former,
  };
}

function usesIn(definition: TypeDefinitionNode, directive: string, { inherited }: Expanded, model: ModelDraft): readonly DirectiveUse[] {
  const type = model.nodeTypes.get(definition.name.value);
  const from = inherited.get(definition.name.value);
  const named = directivesNamed(directive);
  const onType = named(definition).map((node) => ({ node, definition, type, field: undefined, inherited: from?.directives.has(node) ?? false }));
  return [...onType, ...(type ? usesOnFields(definition, type, named) : [])];
}

function unstoredUsesIn(definition: TypeDefinitionNode, directive: string, model: ModelDraft): readonly UnstoredUse[] {
  if (model.nodeTypes.has(definition.name.value)) return [];
  return fieldsOf(definition).flatMap((field) => {
    if (field.kind !== Kind.FIELD_DEFINITION) return [];
    return directivesNamed(directive)(field).map((node) => ({ node, definition, field }));
  });
}

type NamedDirectives = (node: { readonly directives?: readonly ConstDirectiveNode[] | undefined }) => readonly ConstDirectiveNode[];

function directivesNamed(directive: string): NamedDirectives {
  return (node) => node.directives?.filter((each) => each.name.value === directive) ?? [];
}

function usesOnFields(definition: TypeDefinitionNode, type: NodeTypeDraft, named: NamedDirectives): readonly DirectiveUse[] {
  return fieldsOf(definition).flatMap((node) => {
    const field = type.fields.get(node.name.value);
    if (!field) return [];
    const declared = field.origin === type ? undefined : field.origin.fields.get(field.name)?.definition.directives;
    return named(node).map((use) => ({ node: use, definition, type, field, inherited: declared?.includes(use) ?? field.origin !== type }));
  });
}
