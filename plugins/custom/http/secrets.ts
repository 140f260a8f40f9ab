// `# Service.Secret name "value"`: values for headers, which no message, log line or plan shows.

import { QuernError, type SettingLine, withoutLocation } from "../../../core/plugin.ts";

export type Secrets = ReadonlyMap<string, string>;

/**
 * The secrets by name; of equal names the last line counts.
 *
 * @throws QuernError `SCHEMA_INVALID` for a line in another form. The message shows no part of it that may be the value.
 */
export function readSecrets(lines: readonly SettingLine[]): Secrets {
  return new Map(lines.map(readSecret));
}

function readSecret({ prefix, line }: SettingLine): readonly [string, string] {
  const [mark, keyword, name = "", ...rest] = line.split(/\s+/u);
  const quoted = rest.join(" ");
  if (mark !== "#" || keyword !== `${prefix}.Secret` || !/^"[^"]*"$/u.test(quoted)) throw invalidLine(prefix, line);
  return [unquoted(name), quoted.slice(1, -1)];
}

function unquoted(name: string): string {
  return name.replace(/^"+|"+$/gu, "");
}

function invalidLine(prefix: string, line: string): QuernError {
  const [start = "", name = ""] = /^#\s*\S+\s*(\S*)/u.exec(line) ?? [];
  const shown = name.includes('"') ? start.slice(0, -name.length) : start;
  const message = `incorrect format for specifying ${prefix} secret found for comment: \`${shown.trim()} ...\`, it should be \`# ${prefix}.Secret key value\``;
  return new QuernError("SCHEMA_INVALID", message, {
    details: withoutLocation,
    hint: 'Write the value in double quotes: # Service.Secret name "value".',
  });
}
