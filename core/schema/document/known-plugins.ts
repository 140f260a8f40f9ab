// The known plugins with their directives and configuration comments: the one file of the kernel that names them. A schema that uses a directive of
// a known plugin which is not installed is refused, even if it defines the directive itself: otherwise a schema with access rules could be served
// without them. Every way to prepare a schema needs this check, so the list is built into the kernel and not optional configuration.
// The kernel reads no directive because of it.

import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";

const directives: Readonly<Record<string, readonly string[]>> = {
  identity: ["id", "hasInverse"],
  search: ["search"],
  "storage-names": ["dgraph", "storage"],
  secret: ["secret"],
  default: ["default"],
  was: ["was"],
  generate: ["generate"],
  auth: ["auth"],
  accounts: ["account"],
  custom: ["custom", "remote", "remoteResponse"],
  lambda: ["lambda", "lambdaOnMutate", "webhook"],
  subscription: ["withSubscription"],
  federation: ["key", "extends", "external", "requires", "provides"],
  embedding: ["embedding"],
  paging: ["paged"],
  grouping: ["groupBy"],
};

const settings: Readonly<Record<string, readonly string[]>> = { auth: ["Authorization"], custom: ["Secret"] };

/** The plugin that reads `@directive`; undefined when no known plugin does. */
export function pluginOfDirective(directive: string): string | undefined {
  return keyWith(directives, directive);
}

/** Whether it is the name of a known plugin. */
export function isKnownPlugin(name: string): boolean {
  return Object.hasOwn(directives, name);
}

/** The plugin that reads `# Service.<keyword>` comments. */
export function pluginOfSetting(keyword: string): string | undefined {
  return keyWith(settings, keyword);
}

/** The known plugin that runs live queries. */
export const livePlugin = "subscription";

/** Keywords of configuration comments: those of known plugins and those of `plugins`. */
export function settingKeywords(plugins: readonly DirectivePlugin[]): readonly string[] {
  return [...new Set([...Object.values(settings), ...plugins.map((plugin) => plugin.settings ?? [])].flat())];
}

/** How messages name the directives of fields that a plugin resolves. */
export const resolvedElsewhere = "@custom/@lambda";

/** Directives for which standard validation reports a wrong location on a type, with the message that clients expect. */
export const placedByStandardValidation: ReadonlySet<string> = new Set(["embedding", "default", "deprecated", "cacheControl", "skip", "include"]);

/** How to resolve a missing plugin. */
export function installHint(plugin: string): string {
  return `Add it to plugins in the configuration: import it from "quern/plugins/${plugin}".`;
}

function keyWith(table: Readonly<Record<string, readonly string[]>>, name: string): string | undefined {
  return Object.keys(table).find((key) => table[key]?.includes(name));
}
