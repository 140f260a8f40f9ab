// Configuration comments of a schema text: the kernel reads `# Service.Allow-Origin "https://..."` and passes the others to the plugins
// that declare their keywords. A line with a known keyword that no plugin reads refuses the deploy: ignoring an authorization would expose data.

import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import type { SettingLine } from "../../contracts/plugin/model-context.ts";
import { QuernError } from "../../ground/errors.ts";
import { addToGroup } from "../../ground/groups.ts";
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
  const { settings, lines, first } = readEverySetting(text, plugins);
  if (first) throw refusal([first]);
  return { settings, lines };
}

/** What is wrong with the lines, and what the others say. */
export interface EverySetting extends SettingComments {
  /** What ends a deploy in stages. */
  readonly first: QuernError | undefined;
  readonly errors: readonly QuernError[];
  /** Lines that are wrong, or that no installed plugin reads. */
  readonly refused: readonly SettingLine[];
}

/** The same for every line. */
export function readEverySetting(text: string, plugins: readonly DirectivePlugin[]): EverySetting {
  const all = new ReadLines(plugins);
  const keywords = [allowOrigin, ...settingKeywords(plugins)];
  for (const line of settingLines(text)) {
    const keyword = keywords.find((each) => line.text.startsWith(each));
    if (keyword !== undefined) all.read(line, keyword);
  }
  for (const plugin of plugins) all.check(plugin);
  return { settings: { allowedOrigins: all.allowedOrigins }, lines: all.lines, first: all.first, errors: all.errors, refused: all.refused };
}

class ReadLines {
  readonly lines = new Map<string, SettingLine[]>();
  readonly allowedOrigins: string[] = [];
  first: QuernError | undefined;
  readonly errors: QuernError[] = [];
  readonly refused: SettingLine[] = [];
  readonly #plugins: readonly DirectivePlugin[];

  constructor(plugins: readonly DirectivePlugin[]) {
    this.#plugins = plugins;
  }

  read(line: SettingLine, keyword: string): void {
    if (keyword === allowOrigin) this.#readOrigin(line);
    else if (!this.#plugins.some((plugin) => plugin.settings?.includes(keyword))) this.#refuse(pluginMissing(line, keyword), line);
    else addToGroup(this.lines, keyword, line);
  }

  #readOrigin(line: SettingLine): void {
    const origin = originOf(line);
    if (origin instanceof QuernError) this.#refuse(origin, line);
    else this.allowedOrigins.push(origin);
  }

  #refuse(error: QuernError, line: SettingLine): void {
    this.first ??= error;
    this.errors.push(withPlace(error, line));
    this.refused.push(line);
  }

  /** The plugin reads its lines. It says what is wrong with the first wrong one only, so each that is wrong by itself is taken out. */
  check(plugin: DirectivePlugin): void {
    const problem = settingProblem(plugin, this.lines);
    if (problem === undefined) return;
    this.first ??= problem;
    const given = (plugin.settings ?? []).flatMap((keyword) => this.lines.get(keyword) ?? []);
    for (const keyword of plugin.settings ?? []) {
      const right = (this.lines.get(keyword) ?? []).filter((line) => this.#isRight(plugin, keyword, line));
      this.lines.set(keyword, right);
    }
    const last = given.at(-1);
    if (last === undefined || this.errors.some(({ message }) => message === problem.message)) return;
    // Some are wrong together, such as two where one is allowed.
    this.errors.push(withPlace(problem, last));
    for (const keyword of plugin.settings ?? []) this.lines.set(keyword, (this.lines.get(keyword) ?? []).slice(0, 1));
  }

  #isRight(plugin: DirectivePlugin, keyword: string, line: SettingLine): boolean {
    const problem = settingProblem(plugin, new Map([[keyword, [line]]]));
    if (problem !== undefined) this.#refuse(problem, line);
    return problem === undefined;
  }
}

/** A text that clients expect without a place has one all the same: it is shown with errors in words of this server. */
function withPlace(error: QuernError, { location }: SettingLine): QuernError {
  const { code, message, hint, locations = [], details, cause } = error;
  if (locations.length > 0) return error;
  return new QuernError(code, message, { cause, details: { ...details, place: location }, ...(hint !== undefined && { hint }) });
}

function settingProblem(plugin: DirectivePlugin, lines: ReadonlyMap<string, readonly SettingLine[]>): QuernError | undefined {
  try {
    plugin.checkSettings?.((keyword) => (plugin.settings?.includes(keyword) ? (lines.get(keyword) ?? []) : []));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof QuernError) return thrown;
    throw namedFault({ plugin: plugin.name, hook: "checkSettings" }, thrown);
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

function originOf({ prefix, line }: SettingLine): string | QuernError {
  const words = line.split(/\s+/u);
  const origin = words.length === 3 ? jsonText(words[2]) : undefined;
  if (origin !== undefined) return origin;
  const name = `${prefix}.${allowOrigin}`;
  return new QuernError(
    "SCHEMA_INVALID",
    `incorrect format for specifying ${name} found for comment: \`${line}\`, it should be \`# ${name} "http://example.com"\``,
    { details: withoutLocation },
  );
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
  return new QuernError("SCHEMA_INVALID", message, { locations: [location], hint: installHint(plugin) });
}
