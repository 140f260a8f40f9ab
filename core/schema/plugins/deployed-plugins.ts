// Stores which plugin defines each directive of the deployed schema, so that a later start can name a missing plugin.

import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import type { Snapshot, Transaction } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { readInstalled } from "../document/installed.ts";
import { pluginOfDirective } from "../document/known-plugins.ts";
import { parseDocument } from "../document/parse-document.ts";
import { directivesWithin } from "../document/pre-checks.ts";

const metaName = "directivePlugins";

/** Stores the plugins of a schema that is being deployed. */
export async function keepPluginNames(document: string, plugins: readonly DirectivePlugin[], transaction: Transaction): Promise<void> {
  const { directives } = readInstalled(plugins, parseDocument(document).written);
  const names = directivesIn(document).flatMap((name): [string, string][] => {
    const plugin = directives.get(name)?.plugin;
    return plugin ? [[name, plugin.name]] : [];
  });
  await transaction.setMeta(metaName, Object.fromEntries(names));
}

/** `PLUGIN_MISSING` if the deployed `document` uses directives that `plugins` do not define; else undefined. */
export async function missingPlugins(document: string, plugins: readonly DirectivePlugin[], snapshot: Snapshot): Promise<QuernError | undefined> {
  const parsed = parseDocument(document);
  const { directives } = readInstalled(plugins, parsed.written);
  const own = new Set(parsed.directives.map(({ name }) => name.value));
  const missing = directivesIn(document).filter((name) => !directives.has(name) && (!own.has(name) || pluginOfDirective(name) !== undefined));
  if (missing.length === 0) return undefined;
  const kept = await snapshot.meta(metaName);
  const pluginOf = (name: string): string => {
    const known = typeof kept === "object" && kept !== null && !Array.isArray(kept) ? Reflect.get(kept, name) : undefined;
    return typeof known === "string" ? known : (pluginOfDirective(name) ?? "");
  };
  return new QuernError("PLUGIN_MISSING", [...missing.map((name) => missingText(name, pluginOf(name))), nextSteps(missing)].join("\n"));
}

function directivesIn(document: string): readonly string[] {
  return [
    ...new Set(
      parseDocument(document)
        .definitions.flatMap(directivesWithin)
        .map(({ name }) => name.value),
    ),
  ];
}

function missingText(directive: string, plugin: string): string {
  const whose = plugin === "" ? "the name of its plugin is unknown" : `the plugin "${plugin}" defined it when the schema was deployed`;
  return `The schema that is deployed in the store (no file) uses @${directive}, which no installed plugin defines; ${whose}.`;
}

function nextSteps(missing: readonly string[]): string {
  const names = missing.map((name) => `@${name}`).join(", ");
  return `Add the plugin to plugins in the configuration, or deploy a schema without ${names}: quern deploy schema.graphql --data <dir> (or --config <file>).`;
}
