// Proposes a GraphQL schema for data that never had one: a type for each stored type, and a field for each of its predicates.

import { compareText } from "../../../core/storage.ts";
import type { Predicate, StorageSchema } from "../source/parse-storage-schema.ts";
import type { DataSample } from "./sample-data.ts";

export interface ProposalRequest {
  readonly schema: StorageSchema;
  readonly namespace: number;
  readonly sample: DataSample;
}

/** The text of a schema that can be deployed, with comments where the data leave a choice. */
export function proposeSchema({ schema, namespace, sample }: ProposalRequest): string {
  return new Proposal(schema, namespace, sample).text();
}

const scalars: Readonly<Record<string, string>> = {
  int: "Int64",
  float: "Float",
  bool: "Boolean",
  datetime: "DateTime",
  string: "String",
  default: "String",
  bigfloat: "Float",
  binary: "String",
};

interface ProposedType {
  /** The stored name. */
  readonly stored: string;
  readonly name: string;
  readonly predicates: readonly string[];
  readonly isInterface: boolean;
  readonly interfaces: readonly string[];
}

class Proposal {
  readonly #predicates: ReadonlyMap<string, Predicate>;
  readonly #sample: DataSample;
  readonly #types: readonly ProposedType[];
  readonly #names: ReadonlyMap<string, string>;
  readonly #unions = new Map<string, string>();

  constructor({ predicates, types }: StorageSchema, namespace: number, sample: DataSample) {
    this.#predicates = new Map(predicates.filter((each) => each.namespace === namespace).map((each) => [each.name, each]));
    this.#sample = sample;
    const stored = new Map<string, Set<string>>();
    for (const type of types) {
      if (type.namespace === namespace && !isSystem(type.name))
        stored.set(type.name, new Set([...(stored.get(type.name) ?? []), ...type.predicates]));
    }
    for (const [name, { subjects }] of sample.predicates) {
      if (isSystem(name)) continue;
      const listed = [...stored.values()].some((own) => own.has(name));
      for (const type of subjects) {
        if (isSystem(type) || listed) continue;
        stored.set(type, (stored.get(type) ?? new Set()).add(name));
      }
    }
    const taken = new Set(reserved);
    this.#names = new Map([...stored.keys()].sort(compareText).map((name) => [name, freeName(pascal(name), taken)]));
    const interfaces = new Set([...stored.keys()].filter((name) => isInterface(name, { stored, sample })));
    this.#types = [...stored].map(([name, own]) => ({
      stored: name,
      name: this.#nameOf(name),
      predicates: [...own],
      isInterface: interfaces.has(name),
      interfaces: interfaces.has(name) ? [] : [...interfaces].filter((each) => isSubset(stored.get(each) ?? new Set(), own)),
    }));
  }

  text(): string {
    const types = this.#types.map((type) => this.#typeText(type));
    const unions = [...this.#unions].map(([members, name]) => `union ${name} = ${members}`);
    return `${[...types, ...unions].join("\n\n")}\n`;
  }

  #nameOf(stored: string): string {
    return this.#names.get(stored) ?? pascal(stored);
  }

  #typeText(type: ProposedType): string {
    const inherited = new Set(type.interfaces.flatMap((each) => this.#types.find(({ stored }) => stored === each)?.predicates ?? []));
    const own = type.predicates.filter((name) => !inherited.has(name));
    const taken = new Set(["id"]);
    const secrets = own.filter((name) => this.#predicates.get(name)?.type === "password");
    const fields = own.filter((name) => !secrets.includes(name)).flatMap((name) => this.#fieldLines(type, name, taken));
    const implemented = type.interfaces.length > 0 ? ` implements ${type.interfaces.map((each) => this.#nameOf(each)).join(" & ")}` : "";
    const storedName = type.name === type.stored ? "" : ` @dgraph(type: ${JSON.stringify(type.stored)})`;
    const [secret, ...more] = secrets;
    const password = secret === undefined ? "" : ` @secret(field: "${camel(bareName(secret, type.stored))}", pred: ${JSON.stringify(secret)})`;
    const lost = more.map((name) => `  # ${name} is a second password; a type has one.`);
    const id = type.interfaces.length > 0 ? [] : ["  id: ID!"];
    return [`${type.isInterface ? "interface" : "type"} ${type.name}${implemented}${storedName}${password} {`, ...id, ...fields, ...lost, "}"].join(
      "\n",
    );
  }

  #fieldLines(type: ProposedType, name: string, taken: Set<string>): readonly string[] {
    if (name.startsWith("~")) return this.#reverseLine(type, name, taken);
    const predicate = this.#predicates.get(name);
    if (predicate === undefined) return [`  # ${name} is in no storage schema.`];
    const bare = bareName(name, type.stored);
    const field = freeName(camel(bare), taken);
    if (predicate.type === "uid") return this.#linkLine(predicate, { field, isDefault: name === `${type.stored}.${field}` });
    const stored = name === `${type.stored}.${field}` ? "" : ` @dgraph(pred: ${JSON.stringify(name)})`;
    if (predicate.type === "float32vector") return [`  ${field}: [Float!] @embedding${stored}${vectorSearch(predicate)}`];
    const scalar = predicate.type === "geo" ? this.#geometryOf(name) : scalars[predicate.type];
    if (scalar === undefined) return [`  # ${name} is of type ${predicate.type}, which GraphQL does not have.`];
    const key = predicate.directives.includes("@unique") && !predicate.list && scalar === "String" ? " @id" : "";
    const line = `  ${field}: ${predicate.list ? `[${scalar}]` : scalar}${key === "" ? "" : "!"}${key}${searchOf(predicate)}${stored}`;
    const tags = [...(this.#sample.predicates.get(name)?.languages ?? [])].filter((tag) => !predicate.list && /^[a-z-]+$/i.test(tag));
    return [line, ...tags.map((tag) => `  ${freeName(camel(`${bare}-${tag}`), taken)}: String @dgraph(pred: ${JSON.stringify(`${name}@${tag}`)})`)];
  }

  #geometryOf(name: string): string {
    const [only = "Point"] = this.#sample.predicates.get(name)?.geometries ?? [];
    return ["Point", "Polygon", "MultiPolygon"].includes(only) ? only : "Point";
  }

  #linkLine({ name, list }: Predicate, { field, isDefault }: { readonly field: string; readonly isDefault: boolean }): readonly string[] {
    const target = this.#targetOf([...(this.#sample.predicates.get(name)?.targets ?? [])], field);
    if (target === undefined) return [`  # ${name} leads to no node with a type.`];
    return [`  ${field}: ${list ? `[${target}]` : target}${isDefault ? "" : ` @dgraph(pred: ${JSON.stringify(name)})`}`];
  }

  /** A predicate with `~` shows the links of another from the other side, in the types that they lead to. */
  #reverseLine({ stored }: ProposedType, name: string, taken: Set<string>): readonly string[] {
    if (!this.#sample.predicates.get(name.slice(1))?.targets.has(stored)) return [`  # ${name} leads to no ${stored}.`];
    const subjects = this.#types.filter((type) => type.predicates.includes(name.slice(1))).map(({ stored }) => stored);
    const field = freeName(camel(`reverse-${name.slice(1)}`), taken);
    const target = this.#targetOf(subjects, field);
    return [target === undefined ? `  # ${name} comes from no type.` : `  ${field}: [${target}] @dgraph(pred: ${JSON.stringify(name)})`];
  }

  /** One type, or a union of several. An interface stands for the types that implement it. */
  #targetOf(stored: readonly string[], field: string): string | undefined {
    const known = this.#types.filter((type) => stored.includes(type.stored));
    const covered = new Set(known.flatMap(({ interfaces }) => interfaces));
    const objects = known.filter((type) => !type.isInterface);
    const [shared] = this.#types.filter(
      (type) => type.isInterface && covered.has(type.stored) && objects.every(({ interfaces }) => interfaces.includes(type.stored)),
    );
    const [only, ...others] = objects;
    if (only === undefined || others.length === 0) return only?.name;
    if (shared !== undefined) return shared.name;
    const members = objects
      .map(({ name }) => name)
      .sort(compareText)
      .join(" | ");
    const union = this.#unions.get(members) ?? freeName(`${pascal(field)}Target`, new Set([...this.#names.values(), ...this.#unions.values()]));
    this.#unions.set(members, union);
    return union;
  }
}

interface Stored {
  readonly stored: ReadonlyMap<string, ReadonlySet<string>>;
  readonly sample: DataSample;
}

/** A type that no node has alone, and whose predicates other types repeat. */
function isInterface(name: string, { stored, sample }: Stored): boolean {
  const own = stored.get(name) ?? new Set();
  const sets = sample.typeSets.filter((set) => set.has(name));
  if (own.size === 0 || sets.length === 0) return false;
  return sets.every((set) =>
    [...set].some((other) => other !== name && isSubset(own, stored.get(other) ?? new Set()) && (stored.get(other)?.size ?? 0) > own.size),
  );
}

function isSubset(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && [...a].every((each) => b.has(each));
}

function isSystem(name: string): boolean {
  return name.startsWith("dgraph.") || name === "_predicate_";
}

const kinds: Readonly<Record<string, string>> = { trigram: "regexp" };
const ofStrings = new Set(["hash", "exact", "term", "fulltext", "regexp"]);
const ofTimes = new Set(["year", "month", "day", "hour"]);

/** An exact index answers what a hash index answers. */
function searchOf({ type, directives }: Predicate): string {
  const names = tokenizersOf(directives);
  if (names.length === 0) return "";
  if (type === "string" || type === "default") {
    const fitting = names.filter((name) => ofStrings.has(name) && (name !== "hash" || !names.includes("exact")));
    return fitting.length > 0 ? ` @search(by: [${fitting.join(", ")}])` : "";
  }
  if (type === "datetime") {
    const finest = ["hour", "day", "month", "year"].find((name) => names.includes(name) && ofTimes.has(name));
    return finest === undefined ? "" : ` @search(by: [${finest}])`;
  }
  return " @search";
}

function tokenizersOf(directives: string): readonly string[] {
  const inside = /@index\(([^()]*)\)/.exec(directives)?.[1] ?? "";
  return inside.split(",").flatMap((each) => (each.trim() === "" ? [] : [kinds[each.trim()] ?? each.trim()]));
}

/** `@index(hnsw(exponent:"4",metric:"cosine"))` */
function vectorSearch({ directives }: Predicate): string {
  const inside = /hnsw\(([^)]*)\)/.exec(directives)?.[1];
  if (inside === undefined) return "";
  const options = [...inside.matchAll(/(\w+)\s*:\s*"([^"]*)"/g)].map(([, name, value]) => `${name}: ${value}`);
  return ` @search(by: ["hnsw${options.length > 0 ? `(${options.join(", ")})` : ""}"])`;
}

/** Names that a schema cannot declare. */
const reserved = [
  "Query",
  "Mutation",
  "Subscription",
  "Int",
  "Int64",
  "Float",
  "String",
  "Boolean",
  "ID",
  "DateTime",
  "Point",
  "Polygon",
  "MultiPolygon",
];

/** `Person.name` is `name` in `Person`. */
function bareName(predicate: string, type: string): string {
  return predicate.startsWith(`${type}.`) && predicate.length > type.length + 1 ? predicate.slice(type.length + 1) : predicate;
}

function pascal(text: string): string {
  const name = parts(text)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
  return /^[A-Za-z]/.test(name) ? name : `T${name}`;
}

/** A name that GraphQL allows stays as it is. */
function camel(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(text)) return text;
  const [first = "", ...rest] = parts(text);
  const name = first + rest.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
  return /^[A-Za-z]/.test(name) ? name : `f${name}`;
}

function parts(text: string): readonly string[] {
  const found = text.split(/[^A-Za-z0-9_]+/).filter((part) => part !== "");
  return found.length > 0 ? found : ["Unnamed"];
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}${n}`;
  taken.add(name);
  return name;
}
