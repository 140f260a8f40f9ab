// Which plugin reads which directive or configuration comment: used for messages about plugins that are not installed, and
// for the fixed wording of messages. Nothing is decided by it.

import type { DirectivePlugin } from "../../contracts/plugin.ts";

const directives: Readonly<Record<string, readonly string[]>> = {
  identity: ["id", "hasInverse"],
  search: ["search"],
  "storage-names": ["dgraph", "storage"],
  secret: ["secret"],
  default: ["default"],
  was: ["was"],
  generate: ["generate"],
  auth: ["auth"],
  custom: ["custom", "lambda", "lambdaOnMutate", "remote", "remoteResponse"],
  subscription: ["withSubscription"],
  federation: ["key", "extends", "external", "requires", "provides"],
  embedding: ["embedding"],
};

const settings: Readonly<Record<string, readonly string[]>> = { auth: ["Authorization"], custom: ["Secret"] };

/** The plugin that reads `@directive`; undefined when no known plugin does. */
export function pluginOfDirective(directive: string): string | undefined {
  return keyWith(directives, directive);
}

/** The plugin that reads `# Service.<keyword>` comments. */
export function pluginOfSetting(keyword: string): string | undefined {
  return keyWith(settings, keyword);
}

/** Keywords of configuration comments that some plugin may read: those known here and those of `plugins`. */
export function settingKeywords(plugins: readonly DirectivePlugin[]): readonly string[] {
  return [...new Set([...Object.values(settings), ...plugins.map((plugin) => plugin.settings ?? [])].flat())];
}

/** How messages call a field's being resolved by a plugin instead of being stored. */
export const resolvedElsewhere = "@custom/@lambda";

/** Misplaced on a type, these are told of in the words of standard validation, as clients know them. */
export const placedByStandardValidation: ReadonlySet<string> = new Set(["embedding", "default", "deprecated", "cacheControl", "skip", "include"]);

/** Families whose plugin this version does not bring. */
const notBrought: ReadonlySet<string> = new Set(["custom", "federation", "embedding"]);

/** What to do about a plugin that is not installed. */
export function installHint(plugin: string): string {
  if (notBrought.has(plugin)) return `This version brings no plugin "${plugin}"; leave the directive out, or install one that defines it.`;
  return `Add it to plugins in the configuration: import it from "quern/plugins/${plugin}".`;
}

function keyWith(table: Readonly<Record<string, readonly string[]>>, name: string): string | undefined {
  return Object.keys(table).find((key) => table[key]?.includes(name));
}
