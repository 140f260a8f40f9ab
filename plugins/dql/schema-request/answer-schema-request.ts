// Answers a schema request from the deployed schema: the predicates and types that GraphQL made, as Dgraph describes its own.

import { type FieldDefinitionNode, Kind, visit } from "graphql";
import type { AnswerValue, FieldLayout, NodeType } from "../../../core/plugin.ts";
import type { AnswerObject } from "../answer/node.ts";
import type { Catalog } from "../schema/catalog.ts";
import { kindOfField } from "../schema/values.ts";
import type { SchemaRequest } from "./parse-schema-request.ts";

/** `{ schema: [{ predicate, type, ... }], types: [{ name, fields }] }`, in the order of names. What the caller may not read is absent. */
export function answerSchemaRequest({ predicates, types, facts }: SchemaRequest, catalog: Catalog): AnswerObject {
  const fields = fieldsOf(catalog);
  const shown = [...fields].filter(([name]) => predicates === undefined || predicates.includes(name)).map(([, each]) => each);
  if (predicates === undefined) shown.push({ facts: typesPredicate });
  else if (predicates.includes(typesPredicate.predicate)) shown.push({ facts: typesPredicate });
  const described = shown.map((each) => withFacts(each.facts, facts)).sort(byMember("predicate"));
  return {
    // Of predicates that are named and unknown there is nothing to say.
    ...(types === undefined && (predicates === undefined || described.length > 0) && { schema: described }),
    ...(predicates === undefined && { types: typesOf(catalog, types) }),
  };
}

type Facts = Readonly<Record<string, AnswerValue>>;

const typesPredicate = { predicate: "dgraph.type", type: "string", index: true, tokenizer: ["exact"], list: true };

interface Described {
  readonly facts: Facts;
}

/** The predicates of the client's types, by name. Languages belong to their predicate, reverse edges to the edge. */
function fieldsOf(catalog: Catalog): ReadonlyMap<string, Described> {
  const found = new Map<string, Described>();
  for (const type of catalog.model.nodeTypes.values()) {
    for (const field of type.fields.values()) {
      if (field.role !== "value" && field.role !== "link") continue;
      const [name = ""] = field.stored.split("@");
      if (found.has(name) || (field.role === "link" && field.reverseOf !== undefined)) continue;
      const facts = factsOf(name, field.definition, catalog);
      if (facts) found.set(name, { facts });
    }
  }
  return found;
}

/** Undefined: the caller may not read it. */
function factsOf(predicate: string, definition: FieldDefinitionNode, catalog: Catalog): Facts | undefined {
  const meaning = catalog.meaningOf(predicate);
  if (meaning.kind === "edge") {
    const isReversed = catalog.meaningOf(`~${predicate}`).kind === "edge";
    return { predicate, type: "uid", ...(meaning.end.many && { list: true }), ...(isReversed && { reverse: true }) };
  }
  const languages = catalog.languagesOf(predicate);
  if (meaning.kind !== "value" && languages === undefined) return undefined;
  const stored: Pick<FieldLayout, "kind" | "list"> = meaning.kind === "value" ? meaning.field : { kind: "string", list: false };
  return {
    predicate,
    type: typeNames[kindOfField(stored.kind)],
    ...indexFacts(predicate, definition, catalog),
    ...(stored.list && { list: true }),
    ...(languages !== undefined && { lang: true }),
  };
}

const typeNames = {
  string: "string",
  int: "int",
  float: "float",
  number: "float",
  boolean: "bool",
  dateTime: "datetime",
  geo: "geo",
  password: "password",
  vector: "float32vector",
} as const;

function indexFacts(predicate: string, definition: FieldDefinitionNode, catalog: Catalog): Facts {
  if (catalog.nearestIndexOf(predicate)) {
    const options = vectorOptions(definition);
    return { tokenizer: [vectorTokenizer(options)], index_specs: [vectorSpecs(options)] };
  }
  const isKey = catalog.isKey(predicate);
  const words = catalog.tokenizersOf(predicate);
  const all = isKey && !words.some((word) => word === "hash" || word === "exact" || word === "int") ? ["hash", ...words] : words;
  return { ...(all.length > 0 && { index: true, tokenizer: [...all].sort() }), ...(isKey && { upsert: true }) };
}

/** Options of a vector index in the order in which they are shown. */
const vectorOptionNames = ["exponent", "maxLevels", "efConstruction", "efSearch", "metric"];

type Option = readonly [name: string, value: string];

/** What the schema writes in `@search(by: ["hnsw(metric: cosine)"])`. */
function vectorOptions(definition: FieldDefinitionNode): readonly Option[] {
  const texts: string[] = [];
  visit(definition, { [Kind.STRING]: ({ value }) => void texts.push(value) });
  const text = texts.find((each) => each.startsWith("hnsw("));
  const written = new Map([...(text ?? "").matchAll(/(\w+)\s*:\s*"?([^",)\s]+)/gu)].map(([, name = "", value = ""]) => [name, value]));
  return vectorOptionNames.flatMap((name): Option[] => {
    const value = written.get(name);
    return value === undefined ? [] : [[name, value]];
  });
}

function vectorTokenizer(options: readonly Option[]): string {
  return options.length === 0 ? "hnsw" : `hnsw(${options.map(([name, value]) => `"${name}":"${value}"`).join(",")})`;
}

function vectorSpecs(options: readonly Option[]): Facts {
  const sorted = options.map(([key, value]) => ({ key, value })).sort(byMember("key"));
  return { name: "hnsw", ...(sorted.length > 0 && { options: sorted }) };
}

/** `vector_specs` asks for what is shown as `index_specs`. */
function withFacts(known: Facts, asked: SchemaRequest["facts"]): Facts {
  if (asked === undefined) return known;
  const isAsked = (name: string) => name === "predicate" || asked.has(name) || (name === "index_specs" && asked.has("vector_specs"));
  return Object.fromEntries(Object.entries(known).filter(([name]) => isAsked(name)));
}

function typesOf(catalog: Catalog, asked: readonly string[] | undefined): readonly Facts[] {
  const byName = new Map<string, ReadonlySet<string>>();
  for (const type of catalog.model.nodeTypes.values()) {
    if (asked !== undefined && !asked.includes(type.stored)) continue;
    byName.set(type.stored, new Set([...(byName.get(type.stored) ?? []), ...predicatesOf(type, catalog)]));
  }
  return [...byName].map(([name, fields]) => ({ fields: [...fields].map((each) => ({ name: each })), name })).sort(byMember("name"));
}

function predicatesOf(type: NodeType, catalog: Catalog): readonly string[] {
  return [...type.fields.values()].flatMap((field) => {
    if ((field.role !== "value" && field.role !== "link") || (field.role === "link" && field.reverseOf !== undefined)) return [];
    const [name = ""] = field.stored.split("@");
    return catalog.meaningOf(name).kind === "unknown" ? [] : [name];
  });
}

function byMember(member: string): (a: Facts, b: Facts) => number {
  return (a, b) => (String(a[member]) < String(b[member]) ? -1 : 1);
}
