// Fields of which callers get other values than the stored ones: what plugins show, and what nothing may compare.

import type { NodeType } from "../../contracts/model.ts";
import type { ShownField } from "../../contracts/plugin/hooks.ts";
import { QuernError } from "../../ground/errors.ts";
import type { PluginAdditions } from "../api/additions.ts";
import type { ShownFields, ShownValue } from "../api/api.ts";
import type { Problems } from "../document/problems.ts";
import type { PluginLayout } from "../layout/layout.ts";
import type { ModelRecorder } from "../model/recorder.ts";
import type { PluginHooks } from "./plugin-hooks.ts";

interface Shown {
  readonly plugin: string;
  readonly shown: ShownField;
}

/**
 * Records which fields of the model are shown otherwise.
 *
 * @throws QuernError `CONFIG_INVALID` for what is no field of values
 */
export function recordShownFields(hooks: readonly PluginHooks[], recorder: ModelRecorder): void {
  for (const { plugin, shown } of allShown(hooks)) {
    if (shown.field?.role !== "value")
      throw new QuernError("CONFIG_INVALID", `Plugin "${plugin}", hook shown: it must name fields that hold values.`);
    recorder.transformed(shown.field);
  }
}

function allShown(hooks: readonly PluginHooks[]): readonly Shown[] {
  return hooks.flatMap(({ plugin, hooks: { shown = [] } }) => shown.map((each) => ({ plugin, shown: each })));
}

/**
 * Undefined: callers get all values as they are stored.
 *
 * @throws QuernError `PLUGIN_CLASH` when two plugins show one field
 */
export function shownFields(hooks: readonly PluginHooks[]): ShownFields | undefined {
  const byName = new Map<string, Map<string, ShownValue>>();
  for (const { plugin, shown } of allShown(hooks)) {
    for (const { stored: type } of concreteOwners(shown)) {
      const known = byName.get(shown.field.stored) ?? new Map<string, ShownValue>();
      const other = known.get(type);
      if (other !== undefined && other.plugin !== plugin) throw clash(shown, [other.plugin, plugin]);
      byName.set(shown.field.stored, known.set(type, { ...shown, plugin }));
    }
  }
  return byName.size === 0 ? undefined : byName;
}

function concreteOwners({ field: { owner, name } }: ShownField): readonly NodeType[] {
  return owner.members.filter((member) => member === owner || member.fields.get(name)?.origin === owner);
}

function clash({ field: { owner, name } }: ShownField, [one, other]: readonly [string, string]): QuernError {
  return new QuernError("PLUGIN_CLASH", `The plugins "${one}" and "${other}" both show values of the field ${owner.name}.${name}.`);
}

/** What other plugins add for stored values. */
export interface Comparing {
  readonly shown: ShownFields | undefined;
  readonly types: Iterable<NodeType>;
  readonly layouts: readonly PluginLayout[];
  readonly additions: readonly PluginAdditions[];
}

/** Reports what would compare stored values in the place of those that callers get. A plugin may compare what it shows itself. */
export function checkComparisons({ shown, types, layouts, additions }: Comparing, problems: Problems): void {
  if (shown === undefined) return;
  const report = (stored: string, plugin: string | undefined, what: string): void => {
    for (const { plugin: own, field } of shown.get(stored)?.values() ?? []) {
      if (plugin === own) continue;
      problems.report(
        `Type ${field.owner.name}; Field ${field.name}: the plugin "${own}" shows other values than the stored ones, so ${what}.`,
        field.definition,
        "Take one of the two directives from the field.",
      );
    }
  };
  for (const { plugin, indexes = [], keys = [], fields = [] } of layouts) {
    for (const field of fields.flatMap(({ derived }) => derived?.from ?? []))
      report(field, plugin, `the plugin "${plugin}" cannot derive another field from it`);
    for (const { field } of indexes) report(field, plugin, `the plugin "${plugin}" cannot index it`);
    for (const field of keys.flatMap((key) => key.fields)) report(field, plugin, `the plugin "${plugin}" cannot make it a part of a key`);
  }
  for (const { plugin, filters = [] } of additions)
    for (const { field } of filters) if (field.transformed) report(field.stored, plugin, `the plugin "${plugin}" cannot filter by it`);
  for (const type of types) for (const { field } of type.keys) if (field.transformed) report(field.stored, undefined, "it cannot be a key");
}
