// Parses one line of an export of our own: `{"uid":"0x5","name":"Ann","boss":{"uid":"0x4"}}`

import { isObject, type Model, type NodeType, parseJson, parseUid, writeJson } from "../../../core/plugin.ts";
import { type Literal, type NodeLink, type Statement, UnreadableLine } from "./statement.ts";

/** The statements of a line of the file of `type`. @throws UnreadableLine */
export type ParseNodeLine = (line: string) => readonly Statement[];

export function nodeLineParser(typeName: string, { nodeTypes }: Model): ParseNodeLine {
  const type = nodeTypes.get(typeName);
  return (line) => {
    if (line.trim() === "") return [];
    const { uid, ...members } = objectIn(line);
    const subject = typeof uid === "string" ? parseUid(uid) : undefined;
    if (subject === undefined || subject === 0) throw new UnreadableLine('The node has no uid such as "0x5".');
    const about = { subject, namespace: 0, facets: undefined };
    const typed = literal({ ...about, predicate: "dgraph.type", language: undefined }, type?.stored ?? typeName);
    return [typed, ...Object.entries(members).flatMap(([name, value]) => statementsOf(about, { type, name, value }))];
  };
}

function objectIn(line: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    throw new UnreadableLine("The line is not JSON.");
  }
  if (!isObject(value)) throw new UnreadableLine("The line is not a JSON object.");
  return value;
}

type About = Pick<Statement, "subject" | "namespace" | "facets">;

interface Member {
  readonly type: NodeType | undefined;
  readonly name: string;
  readonly value: unknown;
}

function statementsOf(about: About, { type, name, value }: Member): readonly Statement[] {
  const field = type?.fields.get(name);
  const stored = field !== undefined && "stored" in field ? field.stored : name;
  const at = stored.lastIndexOf("@");
  const start = at <= 0 ? { predicate: stored, language: undefined } : { predicate: stored.slice(0, at), language: stored.slice(at + 1) };
  const isVector = field?.role === "value" && field.kind === "vector";
  const isList = Array.isArray(value) && !isVector && (field === undefined || field.role === "link" || field.type.list);
  const values: readonly unknown[] = isList ? value : [value];
  return values.filter((each) => each !== null).map((each) => ({ ...about, ...start, object: objectOf(each) }));
}

function objectOf(value: unknown): Literal | NodeLink {
  if (isObject(value) && typeof value.uid === "string") {
    const to = parseUid(value.uid);
    if (to === undefined || to === 0) throw new UnreadableLine(`The uid ${value.uid} is not a hexadecimal text such as "0x5".`);
    return { kind: "link", to };
  }
  return { kind: "literal", text: typeof value === "string" ? value : writeJson(value) };
}

function literal(statement: Omit<Statement, "object">, text: string): Statement {
  return { ...statement, object: { kind: "literal", text } };
}
