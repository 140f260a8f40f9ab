// Compares a schema of DQL with the one that is served. Applications send theirs at each start; where it asks for nothing new, nothing has to be done.

import type { Schema } from "../import/target.ts";
import type { Predicate, StoredType } from "../source/parse-storage-schema.ts";
import { storageSchemaText } from "./storage-schema-text.ts";

interface DqlSchema {
  readonly predicates: readonly Predicate[];
  readonly types: readonly StoredType[];
}

const namespace = String.raw`(?:\[0x[0-9a-f]+\]\s*)?`;
const directive = String.raw`@\w+(?:\s*\((?:[^()]|\([^()]*\))*\))?\s*`;
const typeStatement = String.raw`type\s+<?([^<>\s{]+)>?\s*\{([^}]*)\}`;
const predicateStatement = String.raw`<?([^<>\s:]+)>?\s*:\s*(\[?)\s*(\w+)\s*\]?\s*((?:${directive})*)\.`;
const statement = new RegExp(String.raw`\s*${namespace}(?:${typeStatement}|${predicateStatement})`, "giy");

/** Undefined: it is none. Comments run from `#` to the end of their line. */
export function readDqlSchema(text: string): DqlSchema | undefined {
  const bare = text.replace(/#[^\n]*/g, "").trimEnd();
  const [predicates, types]: [Predicate[], StoredType[]] = [[], []];
  let end = 0;
  for (const found of bare.matchAll(statement)) {
    end = found.index + found[0].length;
    const [, type, fields = "", predicate = "", bracket, kind = "", directives = ""] = found;
    if (type !== undefined) types.push({ namespace: 0, name: type, predicates: fieldNames(fields) });
    else predicates.push({ namespace: 0, name: predicate, type: kind.toLowerCase(), list: bracket === "[", directives });
  }
  return end === bare.length && predicates.length + types.length > 0 ? { predicates, types } : undefined;
}

/** `name`, `<name>`, and in older texts `name: string`; each on its line. */
function fieldNames(text: string): readonly string[] {
  return text.split(/[\n,]/).flatMap((line) => /^\s*<?([^<>\s:]+)>?/.exec(line)?.[1] ?? []);
}

/** What `asked` has that the served schema lacks: each a part of a sentence; empty: nothing. */
export function missingInSchema(asked: DqlSchema, served: Schema): readonly string[] {
  const known = readDqlSchema(storageSchemaText(served, 0));
  const predicates = new Map(known?.predicates.map((each) => [each.name, each]));
  const types = new Map(known?.types.map((each) => [each.name, each]));
  return [
    ...asked.predicates.flatMap((each) => missingOfPredicate(each, predicates.get(each.name))),
    ...asked.types.flatMap((each) => missingOfType(each, types.get(each.name))),
  ];
}

function missingOfPredicate(asked: Predicate, served: Predicate | undefined): readonly string[] {
  if (served === undefined) return [`no field is stored as ${asked.name}`];
  const type = asked.type === "default" ? "string" : asked.type;
  if (type !== served.type || asked.list !== served.list) return [`${asked.name} is ${kindOf(served)} and not ${kindOf(asked)}`];
  const indexes = indexesOf(served);
  const absent = indexesOf(asked).filter((each) => !indexes.some((other) => serves(other, each)));
  const lacks = marks.filter(([mark]) => has(asked, mark)).filter(([, ...need]) => !need.some((each) => has(served, each)));
  return [...absent.map((each) => `${asked.name} has no index ${each}`), ...lacks.map(([mark]) => `${asked.name} has no @${mark}`)];
}

/** Directives, each with those of the served schema that do for it. Counts need no index here, and conflicts are always noticed. */
const marks: readonly (readonly [string, ...string[]])[] = [
  ["lang", "lang"],
  ["reverse", "reverse"],
  ["unique", "upsert"],
];

function has({ directives }: Predicate, mark: string): boolean {
  return new RegExp(String.raw`@${mark}\b`, "i").test(directives);
}

function kindOf({ type, list }: Predicate): string {
  return list ? `[${type}]` : type;
}

/** Without their options. */
function indexesOf({ directives }: Predicate): readonly string[] {
  const [, inner = ""] = /@index\s*\(((?:[^()]|\([^()]*\))*)\)/i.exec(directives) ?? [];
  return inner
    .replace(/\([^()]*\)/g, "")
    .split(",")
    .flatMap((each) => each.trim().toLowerCase() || []);
}

function serves(index: string, asked: string): boolean {
  return index === asked || (asked === "hash" && index === "exact");
}

function missingOfType(asked: StoredType, served: StoredType | undefined): readonly string[] {
  if (served === undefined) return [`there is no type ${asked.name}`];
  return asked.predicates.flatMap((each) => (served.predicates.includes(each) ? [] : [`the type ${asked.name} has no ${each}`]));
}
