// Whether a list of plugins fits together: names, needs and order.

import type { DirectivePlugin } from "../contracts/plugin.ts";
import { QuernError } from "../errors.ts";
import { isObject } from "./check-options.ts";

/** Problems of a list of plugins, in config order. */
export function checkPlugins(plugins: readonly unknown[]): readonly QuernError[] {
  const strange = plugins.flatMap((each, index) => (isPlugin(each) ? [] : [notAPlugin(index)]));
  const sound = plugins.filter(isPlugin);
  return [...strange, ...checkNames(sound), ...sound.flatMap((plugin, index) => checkOrder(plugin, index, sound))];
}

function isPlugin(value: unknown): value is DirectivePlugin {
  return isObject(value) && typeof value.name === "string" && typeof value.definitions === "string" && typeof value.model === "function";
}

function notAPlugin(index: number): QuernError {
  return new QuernError(
    "CONFIG_INVALID",
    `Entry ${index + 1} of plugins is no plugin; call its factory, as in plugins: [searchPlugin()], so that it has name, definitions and model.`,
  );
}

function checkNames(plugins: readonly DirectivePlugin[]): readonly QuernError[] {
  const names = plugins.map((plugin) => plugin.name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return twice.map((name) => new QuernError("PLUGIN_CLASH", `Two plugins are named "${name}"; take one of them out of plugins.`));
}

function checkOrder(plugin: DirectivePlugin, index: number, plugins: readonly DirectivePlugin[]): readonly QuernError[] {
  const place = (name: string) => plugins.findIndex((each) => each.name === name);
  const needs = (plugin.after ?? []).flatMap((need) => {
    if (place(need) === -1)
      return [new QuernError("PLUGIN_MISSING", `Plugin "${plugin.name}" needs plugin "${need}"; add it to plugins, before "${plugin.name}".`)];
    return place(need) > index ? [wrongOrder(plugin.name, need)] : [];
  });
  const follows = (plugin.follows ?? []).filter((other) => place(other) > index).map((other) => wrongOrder(plugin.name, other));
  return [...needs, ...follows];
}

function wrongOrder(later: string, earlier: string): QuernError {
  return new QuernError(
    "CONFIG_INVALID",
    `Plugin "${later}" stands before plugin "${earlier}", whose work it builds on; move "${earlier}" ahead of it in plugins.`,
  );
}
