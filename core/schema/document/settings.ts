// Configuration comments of a schema text: the kernel reads `# Service.Allow-Origin "https://..."` and passes the others to the plugins
// that declare their keywords. A line with a known keyword that no plugin reads refuses the deploy: ignoring an authorization would expose data.

import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import type { SettingLine } from "../../contracts/plugin/model-context.ts";
import { QuernError } from "../../ground/errors.ts";
import { namedFault } from "../../ground/plugin-fault.ts";
import { installHint, pluginOfSetting, settingKeywords } from "./known-plugins.ts";
import { refusal, withoutLocation } from "./problems.ts";

const allowOrigin = "Allow-Origin";

/** Settings from the configuration comments of a schema text. */
export interface SchemaSettings {
  /** Origins of the `# Service.Allow-Origin` lines; empty: any origin is allowed. */
  readonly allowedOrigins: readonly string[];
  /** Names of request headers that plugins read; browsers must be allowed to send them. */
  readonly headers: readonly string[];
}

export interface SettingComments {
  readonly settings: Pick<SchemaSettings, "allowedOrigins">;
  /** Lines of plugins, by keyword. */
  readonly lines: ReadonlyMap<string, readonly SettingLine[]>;
}

/**
 * Scans the raw text line by line, block strings included.
 *
 * @throws QuernError `SCHEMA_INVALID` for the first line that is malformed or that no installed plugin reads
 * @see reference/schema.md 1.13
 */
export function readSettings(text: string, plugins: readonly DirectivePlugin[]): SettingComments {
  const lines = new Map<string, SettingLine[]>();
  const allowedOrigins: string[] = [];
  const keywords = [allowOrigin, ...settingKeywords(plugins)];
  for (const line of settingLines(text)) {
    const keyword = keywords.find((each) => line.text.startsWith(each));
    if (keyword === undefined) continue;
    if (keyword === allowOrigin) allowedOrigins.push(originOf(line));
    else if (plugins.some((plugin) => plugin.settings?.includes(keyword))) lines.set(keyword, [...(lines.get(keyword) ?? []), line]);
    else throw pluginMissing(line, keyword);
  }
  checkSettings(plugins, lines);
  return { settings: { allowedOrigins }, lines };
}

function checkSettings(plugins: readonly DirectivePlugin[], lines: ReadonlyMap<string, readonly SettingLine[]>): void {
  for (const plugin of plugins) {
    try {
      plugin.checkSettings?.((keyword) => (plugin.settings?.includes(keyword) ? (lines.get(keyword) ?? []) : []));
    } catch (thrown) {
      throw thrown instanceof QuernError ? refusal([thrown]) : namedFault({ plugin: plugin.name, hook: "checkSettings" }, thrown);
    }
  }
}

function settingLines(text: string): SettingLine[] {
  return text.split(/\r\n|\n|\r/).flatMap((raw, index) => {
    const line = raw.trim();
    const [, prefix, rest] = /^#\s*(Dgraph|Service)\.(.*)$/su.exec(line) ?? [];
    if ((prefix !== "Dgraph" && prefix !== "Service") || rest === undefined) return [];
    return [{ prefix, line, text: rest, location: { line: index + 1, column: raw.indexOf("#") + 1 } }];
  });
}

function originOf({ prefix, line }: SettingLine): string {
  const words = line.split(/\s+/u);
  const origin = words.length === 3 ? jsonText(words[2]) : undefined;
  if (origin !== undefined) return origin;
  const name = `${prefix}.${allowOrigin}`;
  throw refusal([
    new QuernError(
      "SCHEMA_INVALID",
      `incorrect format for specifying ${name} found for comment: \`${line}\`, it should be \`# ${name} "http://example.com"\``,
      { details: withoutLocation },
    ),
  ]);
}

function jsonText(json: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(json ?? "");
    // null allows no origin: no browser sends an empty one.
    return value === null ? "" : typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function pluginMissing({ prefix, location }: SettingLine, keyword: string): QuernError {
  const plugin = pluginOfSetting(keyword) ?? keyword;
  const message = `# ${prefix}.${keyword} is read by the plugin "${plugin}", which is not installed.`;
  return refusal([new QuernError("SCHEMA_INVALID", message, { locations: [location], hint: installHint(plugin) })]);
}
