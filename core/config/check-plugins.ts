// Checks a list of plugins: entries, names, dependencies, order and definitions.

import { type DirectivePlugin, pluginContract } from "../contracts/plugin/directive-plugin.ts";
import { QuernError } from "../ground/errors.ts";
import { didYouMean } from "../ground/near-name.ts";
import { checkDefinitions } from "./check-definitions.ts";
import { isObject } from "./check-options.ts";

/** Problems of a list of plugins, in config order. */
export function checkPlugins(plugins: readonly unknown[]): readonly QuernError[] {
  const invalid = plugins.flatMap((each, index) => (isPlugin(each) ? [] : [invalidEntry(index)]));
  const valid = plugins.filter(isPlugin);
  const cycles = findCycles(valid);
  const inCycle = new Set(cycles.flat());
  const order = valid.flatMap((plugin, index) => (inCycle.has(plugin.name) ? checkNeeds(plugin, valid) : checkOrder(plugin, index, valid)));
  const names = checkNames(valid);
  // Two plugins of the same name also have the same definitions: report the name alone.
  const definitions = names.length > 0 ? [] : checkDefinitions(valid);
  return [
    ...invalid,
    ...valid.flatMap(misspelledMembers),
    ...valid.flatMap(contractMismatch),
    ...names,
    ...checkEngines(valid),
    ...cycles.map(cycleText),
    ...order,
    ...definitions,
  ];
}

function isPlugin(value: unknown): value is DirectivePlugin {
  return isObject(value) && typeof value.name === "string" && typeof value.definitions === "string" && typeof value.model === "function";
}

function invalidEntry(index: number): QuernError {
  return new QuernError(
    "CONFIG_INVALID",
    `Entry ${index + 1} of plugins is not a plugin: an object with name, definitions and model; call its factory, as in plugins: [searchPlugin()].`,
  );
}

const members = [
  "contract",
  "name",
  "after",
  "follows",
  "definitions",
  "unstored",
  "definitionsFor",
  "inherited",
  "kept",
  "languages",
  "stores",
  "settings",
  "alsoReads",
  "validatesArguments",
  "checkSettings",
  "watchedFiles",
  "serving",
  "model",
  "liveEngine",
  "server",
];

/** A plugin may have members beyond the contract. A name that nearly equals a member of the contract is a spelling mistake. */
function misspelledMembers(plugin: DirectivePlugin): readonly QuernError[] {
  return Object.keys(plugin).flatMap((name) => {
    const meant = members.includes(name) ? "" : didYouMean(name, members);
    return meant === "" ? [] : [new QuernError("CONFIG_INVALID", `Plugin "${plugin.name}" has a member "${name}"${meant}`)];
  });
}

function contractMismatch({ name, contract = pluginContract }: DirectivePlugin): readonly QuernError[] {
  if (contract === pluginContract) return [];
  const message = `Plugin "${name}" was written for version ${contract} of the plugin contract, and this Quern has version ${pluginContract}; install matching versions.`;
  return [new QuernError("CONFIG_INVALID", message)];
}

function checkNames(plugins: readonly DirectivePlugin[]): readonly QuernError[] {
  const names = plugins.map((plugin) => plugin.name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return twice.map((name) => new QuernError("PLUGIN_CLASH", `Two plugins are named "${name}"; remove one of them from plugins.`));
}

function checkEngines(plugins: readonly DirectivePlugin[]): readonly QuernError[] {
  const [first, ...others] = plugins.filter(({ liveEngine }) => liveEngine !== undefined);
  return others.map(
    ({ name }) => new QuernError("PLUGIN_CLASH", `Plugins "${first?.name}" and "${name}" both run live queries; remove one of them from plugins.`),
  );
}

function checkOrder(plugin: DirectivePlugin, index: number, plugins: readonly DirectivePlugin[]): readonly QuernError[] {
  const place = (name: string) => plugins.findIndex((each) => each.name === name);
  const misplaced = [...(plugin.after ?? []), ...(plugin.follows ?? [])].filter((other) => place(other) > index);
  return [...checkNeeds(plugin, plugins), ...[...new Set(misplaced)].map((other) => wrongOrder(plugin.name, other))];
}

function checkNeeds({ name, after = [] }: DirectivePlugin, plugins: readonly DirectivePlugin[]): readonly QuernError[] {
  const missing = after.filter((need) => !plugins.some((each) => each.name === need));
  return missing.map((need) => new QuernError("PLUGIN_MISSING", `Plugin "${name}" needs plugin "${need}"; add it to plugins, before "${name}".`));
}

function wrongOrder(later: string, earlier: string): QuernError {
  return new QuernError(
    "CONFIG_INVALID",
    `Plugin "${later}" is listed before plugin "${earlier}", on which it depends; move "${earlier}" before it in plugins.`,
  );
}

/** Dependency cycles: each plugin must come after the next one, and the last after the first. Cycles are disjoint. */
function findCycles(plugins: readonly DirectivePlugin[]): readonly (readonly string[])[] {
  const predecessors = new Map(plugins.map(({ name, after = [], follows = [] }) => [name, [...after, ...follows]]));
  const cycles: (readonly string[])[] = [];
  const done = new Set<string>();
  const walk = (name: string, path: readonly string[]): void => {
    const start = path.indexOf(name);
    if (start !== -1) cycles.push(path.slice(start));
    if (start !== -1 || done.has(name)) return;
    for (const next of predecessors.get(name) ?? []) if (!cycles.flat().includes(next)) walk(next, [...path, name]);
    done.add(name);
  };
  for (const { name } of plugins) walk(name, []);
  return cycles;
}

function cycleText(cycle: readonly string[]): QuernError {
  const quoted = cycle.map((name) => `"${name}"`);
  if (quoted.length === 1)
    return new QuernError("CONFIG_INVALID", `Plugin ${quoted[0]} depends on itself; remove it from plugins, or fix its dependencies.`);
  const steps = quoted.map((name, index) => `${name} after ${quoted[(index + 1) % quoted.length]}`);
  const message = `Plugins ${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)} depend on each other: ${steps.join(", ")}. Remove one of them from plugins, or fix its dependencies.`;
  return new QuernError("CONFIG_INVALID", message);
}
