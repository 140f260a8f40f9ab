// What administrators did, in one sentence. Sentences have no values of data, no addresses with passwords in them, and no tokens.

import { parse } from "graphql";
import type { Erase } from "../../../core/storage.ts";

/** A schema by the number of its types. */
export function deployText(schema: string): string {
  const types = schema.match(/^\s*(?:type|interface|enum|union|input)\s+\w/gmu)?.length ?? 0;
  return `deployed a schema with ${types} ${types === 1 ? "type" : "types"}`;
}

export function eraseText(what: Erase): string {
  switch (what.kind) {
    case "all":
      return "dropped the schema and all data";
    case "data":
      return "dropped all data";
    default:
      return `dropped the values of ${what.name}`;
  }
}

const texts: Readonly<Record<string, string>> = {
  export: "began an export",
  backup: "began a backup",
  checkStore: "began a check of the store",
  restore: "began to restore a backup",
  shutdown: "stopped the server",
  config: "changed the bound of the cache",
  assign: "reserved uids",
};

/** What the mutation `name` of the admin API does. */
export function mutationText(name: string, args: Readonly<Record<string, unknown>>): string {
  if (name === "updateGQLSchema") return deployText(schemaIn(args));
  if (name === "draining") return drainingText({ enable: args.enable === true });
  return texts[name] ?? `called ${name}`;
}

export function drainingText({ enable }: { readonly enable: boolean }): string {
  return enable ? "began to drain the server" : "ended the draining of the server";
}

const maxFields = 5;
const maxTokens = 20_000;

/** The root fields of a mutation: `edited data by addBoat and updateBoat, 3 nodes touched`. */
export function editText(document: string, touched: number): string {
  const fields = rootFieldsOf(document);
  const named = fields.length > maxFields ? [...fields.slice(0, maxFields), `${fields.length - maxFields} more`] : fields;
  const by = named.length === 0 ? "a mutation" : named.join(", ");
  return `edited data by ${by}, ${touched} ${touched === 1 ? "node" : "nodes"} touched`;
}

function rootFieldsOf(document: string): readonly string[] {
  try {
    const found = parse(document, { maxTokens, noLocation: true }).definitions.flatMap((each) =>
      each.kind === "OperationDefinition" && each.operation === "mutation" ? each.selectionSet.selections : [],
    );
    return [...new Set(found.flatMap((each) => (each.kind === "Field" ? [each.name.value] : [])))];
  } catch {
    return [];
  }
}

function schemaIn({ input }: Readonly<Record<string, unknown>>): string {
  const set = typeof input === "object" && input !== null && "set" in input ? input.set : undefined;
  const schema = typeof set === "object" && set !== null && "schema" in set ? set.schema : undefined;
  return typeof schema === "string" ? schema : "";
}
