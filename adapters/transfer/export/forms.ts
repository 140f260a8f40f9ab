// The forms of an export: how facts and nodes become lines, and which files they fill.

import { formatUid, isVector, type Model, type Stored, shortestDecimal, type ValueKind, writeJson } from "../../../core/plugin.ts";
import type { Target } from "../import/target.ts";
import { goJson } from "./go-text.ts";
import { type Fact, factsOf, rdfTypes } from "./literals.ts";
import type { NodePart } from "./read-nodes.ts";

/** `ndjson`: one file for each type, which `quern import` takes. `rdf`, `json`: the files of Dgraph. */
export type ExportFormat = "ndjson" | "rdf" | "json";

export interface Form {
  /** The file of a part of a node, without `.gz`. */
  fileOf(part: NodePart): string;
  /** Files that are there even when they hold no node. */
  readonly files: readonly string[];
  /** What begins, separates and ends the lines of a file. */
  readonly begin: string;
  readonly between: string;
  readonly end: string;
  lines(part: NodePart): readonly string[];
}

export function formOf(format: ExportFormat, target: Target, { model, namespace }: { readonly model: Model; readonly namespace: number }): Form {
  if (format === "ndjson") return ndjson(target, model);
  const label = `0x${namespace.toString(16)}`;
  const line = format === "rdf" ? (fact: Fact) => rdfLine(fact, label) : (fact: Fact) => jsonLine(fact, label);
  return {
    ...(format === "rdf" ? { begin: "", between: "\n", end: "\n" } : { begin: "[\n", between: ",\n", end: "\n]\n" }),
    files: [`g01.${format}`],
    fileOf: () => `g01.${format}`,
    lines: (part) => factsOf(part, target).map(line),
  };
}

/** `<0x5> <Boat.name> "Ann"^^<xs:string> <0x0> .` */
function rdfLine(fact: Fact, label: string): string {
  return `<${formatUid(fact.uid)}> <${fact.predicate}> ${"to" in fact ? `<${formatUid(fact.to)}>` : rdfLiteral(fact)} <${label}> .`;
}

function rdfLiteral({ text, language, kind }: Extract<Fact, { readonly text: string }>): string {
  return `${goJson(text)}${language === undefined ? `^^<${rdfTypes[kind]}>` : `@${language}`}`;
}

const bare: ReadonlySet<ValueKind> = new Set(["int", "int64", "float"]);

/** `  {"uid":"0x5","namespace":"0x0","Boat.name":"Ann"}` */
function jsonLine(fact: Fact, label: string): string {
  const start = `  {"uid":"${formatUid(fact.uid)}","namespace":"${label}"`;
  if ("to" in fact) return `${start},${goJson(fact.predicate)}:[{"uid":"${formatUid(fact.to)}"}]}`;
  const name = fact.language === undefined ? fact.predicate : `${fact.predicate}@${fact.language}`;
  return `${start},${goJson(name)}:${bare.has(fact.kind) ? fact.text : goJson(fact.text)}}`;
}

/** One file for each type, one node a line, by the names of the GraphQL schema. A node with many links goes on in further lines. */
function ndjson(target: Target, { nodeTypes }: Model): Form {
  const names = new Map([...nodeTypes.values()].map((type) => [type, namesOf(type.fields.values())]));
  const fileName = (type: string) => `${type}.ndjson`;
  return {
    begin: "",
    between: "\n",
    end: "\n",
    files: [...nodeTypes.values()].flatMap(({ kind, name }) => (kind === "object" ? [fileName(name)] : [])),
    fileOf: ({ type }) => fileName(type.model.name),
    lines({ uid, type, values, links }) {
      const known = names.get(type.model);
      const fields = values.map(([name, value]) => [known?.get(name) ?? name, jsonOf(value)] as const);
      const ends = links.map(([name, targets]) => {
        const nodes = targets.map((each) => ({ uid: formatUid(each) }));
        return [known?.get(name) ?? name, target.ends.get(name)?.end.many === false ? nodes[0] : nodes] as const;
      });
      return [writeMembers([["uid", formatUid(uid)], ...fields, ...ends])];
    },
  };
}

function namesOf(fields: Iterable<{ readonly name: string } & object>): ReadonlyMap<string, string> {
  return new Map(
    [...fields].flatMap((field) => ("stored" in field && typeof field.stored === "string" ? [[field.stored, field.name] as const] : [])),
  );
}

/** Vectors are lists of numbers, with as few digits as distinguish them. */
function jsonOf(value: Stored): unknown {
  return !Array.isArray(value) && isVector(value) ? [...value].map(shortestDecimal) : value;
}

function writeMembers(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(",")}}`;
}
