// The tables of better-auth's plugins that an application adds.

import type { BetterAuthPlugin } from "better-auth";
import { accountTables, type Column, profileTable, type Table, type Tables } from "./tables.ts";

type PluginSchema = NonNullable<BetterAuthPlugin["schema"]>;
type PluginFields = PluginSchema[string]["fields"];

/** What its plugins keep of a user lies in the profile. */
export function withPluginTables(plugins: readonly BetterAuthPlugin[]): Tables {
  const tables: Record<string, Table> = { ...accountTables };
  for (const { schema = {} } of plugins) {
    for (const [model, { fields }] of Object.entries(schema)) {
      const name = model === "user" ? profileTable : model;
      const table = tables[name] ?? { columns: {} };
      tables[name] = { ...table, columns: { ...columnsOfFields(fields), ...table.columns } };
    }
  }
  return tables;
}

const kinds: Readonly<Record<string, Column["kind"]>> = { number: "float", boolean: "boolean", date: "dateTime" };

function columnsOfFields(fields: PluginFields): Table["columns"] {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { type, unique, index, references }]) => [
      name,
      { kind: kinds[String(type)] ?? "string", lookup: unique ? "unique" : index || references ? "equal" : undefined },
    ]),
  );
}
