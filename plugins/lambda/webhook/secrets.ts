// Secrets of the schema, `# Service.Secret NAME "value"`, and headers that hold them.

import type { SettingLine } from "../../../core/plugin.ts";

export type Secrets = ReadonlyMap<string, string>;

/** The plugin to which these lines belong checks their form. */
export const secretKeyword = "Secret";

/** A later line of the same name wins. */
export function readSecrets(lines: readonly SettingLine[]): Secrets {
  return new Map(
    lines.flatMap(({ text }): [string, string][] => {
      const [, quoted, name = quoted, value] = /^Secret\s+(?:"([^"]+)"|(\S+))\s+"(.*)"$/u.exec(text.trim()) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Headers by lower-case name. An entry is `Remote-Name:SECRET` or, when both are the same, `SECRET`. */
export function secretHeaders(entries: readonly string[], secrets: Secrets, missing: (name: string) => void): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.flatMap((entry): [string, string][] => {
      const [remote = "", name = remote] = entry.split(":").map((part) => part.trim());
      const value = secrets.get(name);
      if (value === undefined) missing(name);
      return value === undefined ? [] : [[remote.toLowerCase(), value]];
    }),
  );
}
