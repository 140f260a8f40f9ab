// The storage schema of an export: what other software must know of predicates and types to read the data.

import { print } from "graphql";
import { compareText, type Field, type NodeType, type ValueKind } from "../../../core/plugin.ts";
import { type Schema, Target, type TargetField } from "../import/target.ts";
import { splitTag } from "./literals.ts";

const types: Readonly<Record<ValueKind, string>> = {
  string: "string",
  password: "password",
  int: "int",
  int64: "int",
  float: "float",
  boolean: "bool",
  dateTime: "datetime",
  geo: "geo",
  vector: "float32vector",
};

/** Indexes that are named differently elsewhere. */
const tokenizers: Readonly<Record<string, string>> = {
  regexp: "trigram",
  int64: "int",
  point: "geo",
  polygon: "geo",
  multiPolygon: "geo",
};
const knownTokenizers = new Set(["hash", "exact", "term", "fulltext", "trigram", "int", "float", "bool", "year", "month", "day", "hour", "geo"]);

interface PredicateFacts {
  readonly name: string;
  readonly type: string;
  readonly list: boolean;
  readonly tokenizers: Set<string>;
  isReverse: boolean;
  isTagged: boolean;
  isKey: boolean;
}

/** Predicates by length of name, then name; then types. */
export function storageSchemaText(schema: Schema, namespace: number): string {
  const label = `[0x${namespace.toString(16)}]`;
  const predicates = predicatesOf(schema).sort((a, b) => a.name.length - b.name.length || compareText(a.name, b.name));
  const blocks = [...schema.model.nodeTypes.values()].map((type) => [type.stored, fieldNames(type)] as const);
  blocks.sort(([a], [b]) => a.length - b.length || compareText(a, b));
  const lines = [...predicates.map(predicateLine), ...blocks.map(typeBlock)];
  return [...lines.map((line) => `${label} ${line}`), ""].join("\n");
}

function predicatesOf(schema: Schema): PredicateFacts[] {
  const target = new Target(schema);
  const found = new Map<string, PredicateFacts>([
    ["dgraph.type", { ...emptyFacts("dgraph.type", "string"), list: true, tokenizers: new Set(["exact"]) }],
  ]);
  for (const field of target.fieldList) {
    const { predicate, language } = splitTag(field.name);
    const facts = found.get(predicate) ?? factsOf(predicate, field);
    found.set(predicate, facts);
    facts.isTagged ||= language !== undefined;
  }
  for (const { field, name, by } of schema.layout.indexes) {
    if (by === "nearest") found.get(field)?.tokenizers.add(vectorIndex(schema, field));
    const kind = name.slice(name.lastIndexOf("/") + 1);
    const tokenizer = tokenizers[kind] ?? kind;
    if (knownTokenizers.has(tokenizer)) found.get(splitTag(field).predicate)?.tokenizers.add(tokenizer);
  }
  for (const name of schema.layout.keys.flatMap((key) => key.fields)) addKey(found.get(name));
  const reversed = new Set(linkFields(schema).flatMap(({ reverseOf }) => reverseOf?.stored ?? []));
  for (const { end, isStated } of target.endList) {
    if (isStated) found.set(end.name, { ...emptyFacts(end.name, "uid"), list: end.many, isReverse: reversed.has(end.name) });
  }
  return [...found.values()];
}

function factsOf(predicate: string, { kind, list }: TargetField): PredicateFacts {
  return { ...emptyFacts(predicate, types[kind]), list };
}

function emptyFacts(name: string, type: string): PredicateFacts {
  return { name, type, list: false, tokenizers: new Set(), isReverse: false, isTagged: false, isKey: false };
}

/** `hnsw(exponent:"4",metric:"cosine")`: the options as the schema writes them. A metric is always there: loaders refuse an empty list. */
function vectorIndex({ model, layout }: Schema, stored: string): string {
  const fields = [...model.nodeTypes.values()].flatMap((type) => [...type.fields.values()]);
  const definition = fields.find((field) => field.role === "value" && field.stored === stored)?.definition;
  const written = /\bhnsw\s*\(([^)]*)\)/.exec(definition === undefined ? "" : print(definition))?.[1] ?? "";
  const options = new Map([...written.matchAll(/(\w+)\s*:\s*([^,]+)/g)].map(([, name = "", value = ""]) => [name, value.trim()]));
  const index = layout.indexes.find((each) => each.by === "nearest" && each.field === stored);
  if (index?.by === "nearest") options.set("metric", index.metric);
  return `hnsw(${[...options]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, value]) => `${name}:"${value}"`)
    .join(",")})`;
}

/** A key needs an index of its own there. */
function addKey(facts: PredicateFacts | undefined): void {
  if (facts === undefined) return;
  facts.isKey = true;
  if (facts.type === "string" && !facts.tokenizers.has("exact")) facts.tokenizers.add("hash");
  if (facts.type !== "string") facts.tokenizers.add(facts.type);
}

function linkFields({ model }: Schema) {
  return [...model.nodeTypes.values()].flatMap((type) => [...type.fields.values()]).filter((field) => field.role === "link");
}

function predicateLine({ name, type, list, tokenizers: indexes, isReverse, isTagged, isKey }: PredicateFacts): string {
  const index = indexes.size > 0 ? `@index(${[...indexes].sort(compareText).join(",")})` : undefined;
  const directives = [isReverse ? "@reverse" : index, isTagged ? "@lang" : undefined, isKey ? "@upsert" : undefined].filter(
    (each) => each !== undefined,
  );
  return `<${name}>:${list ? `[${type}]` : type} ${[...directives, "."].join(" ")} `;
}

/** Each predicate once, in the order of the fields. */
function fieldNames({ fields }: NodeType): readonly string[] {
  return [...new Set([...fields.values()].flatMap(predicateOf))];
}

function predicateOf(field: Field): readonly string[] {
  if (field.role === "link") return field.reverseOf === undefined ? [field.stored] : [];
  return field.role === "value" ? [splitTag(field.stored).predicate] : [];
}

function typeBlock([name, predicates]: readonly [string, readonly string[]]): string {
  return `type <${name}> {\n${predicates.map((each) => `\t${each}\n`).join("")}}`;
}
