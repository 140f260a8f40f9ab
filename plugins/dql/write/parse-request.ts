// A request that writes, as text or as JSON.

import { isObject, parseJson, QuernError, type Work } from "../../../core/plugin.ts";
import { Cursor } from "../language/cursor.ts";
import { parseFilter } from "../language/parse-call.ts";
import { parseDocument } from "../language/parse-document.ts";
import { refusal } from "../language/problem.ts";
import type { Document, Filter } from "../language/syntax.ts";
import { checkParameters, usesOfBlock, usesOfFilter } from "../language/variable-uses.ts";
import { EnvelopeError, readEnvelope } from "../mutation/envelope.ts";
import { triplesToDelete, triplesToSet } from "../mutation/json.ts";
import { readTriples } from "../mutation/rdf.ts";
import type { Mutation, Triple, WriteRequest } from "../mutation/syntax.ts";

/** @throws EnvelopeError when the parts are not where they belong; any other QuernError for what is in them */
export function* parseWriteText(text: string): Work<WriteRequest> {
  const { query, mutations } = yield* readEnvelope(text);
  if (mutations.length === 0) return yield* asEnvelope(checked(query, []));
  const parsed: Mutation[] = [];
  for (const each of mutations) {
    parsed.push({
      condition: each.condition === undefined ? undefined : yield* parseCondition(each.condition),
      set: yield* readTriples(each.set),
      delete: yield* readTriples(each.delete),
    });
  }
  return yield* checked(query, parsed);
}

export function* parseWriteJson(text: string): Work<WriteRequest> {
  const body = jsonOf(text);
  const { query, mutations } = body;
  if (query !== undefined && query !== null && typeof query !== "string") throw new EnvelopeError("invalid syntax");
  const parts = [body, ...(Array.isArray(mutations) ? mutations : [])].filter(isObject);
  const newName = namesOfBlanks();
  const parsed: Mutation[] = [];
  for (const part of parts) {
    if (writing.every((name) => part[name] === undefined)) continue;
    parsed.push({
      condition: typeof query === "string" ? yield* conditionOf(part.cond) : undefined,
      set: [...(yield* toSet(part.set, newName)), ...(yield* toSet(jsonIn(part.setJson), newName)), ...(yield* triplesIn(part.setNquads))],
      delete: [...(yield* toDelete(part.delete)), ...(yield* toDelete(jsonIn(part.deleteJson))), ...(yield* triplesIn(part.delNquads))],
    });
  }
  if (typeof query !== "string" && parsed.length === 0) throw refusal("empty request");
  return { ...(yield* checked(typeof query === "string" ? query : undefined, parsed)), inputs: textsOf(body.vars) };
}

/** The members of a mutation. Those of texts are what clients of gRPC send: JSON, and RDF. */
const writing = ["set", "delete", "setJson", "deleteJson", "setNquads", "delNquads"] as const;

function* toSet(value: unknown, newName: () => string): Work<readonly Triple[]> {
  return value === undefined || value === null ? [] : yield* triplesToSet(value, newName);
}

function* toDelete(value: unknown): Work<readonly Triple[]> {
  return value === undefined || value === null ? [] : yield* triplesToDelete(value);
}

function jsonIn(text: unknown): unknown {
  if (text === undefined || text === null || text === "") return undefined;
  if (typeof text !== "string") throw new EnvelopeError("setJson and deleteJson are texts that hold JSON");
  return parsedJson(text);
}

function* triplesIn(text: unknown): Work<readonly Triple[]> {
  if (text === undefined || text === null || text === "") return [];
  if (typeof text !== "string") throw new EnvelopeError("setNquads and delNquads are texts that hold RDF");
  return yield* readTriples(text);
}

/** Variables of the query, by name with `$`. */
function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new EnvelopeError("vars must be an object of texts");
  const texts = Object.entries(value).map(([name, each]): [string, string] => {
    if (typeof each !== "string") throw new EnvelopeError(`the variable ${name} must be a text, also when its type is a number or a boolean`);
    return [name, each];
  });
  return Object.fromEntries(texts);
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  const body = parsedJson(text);
  if (!isObject(body)) throw new EnvelopeError("Error parsing JSON: expected an object with set, delete, mutations or query");
  return body;
}

function parsedJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (thrown) {
    throw new EnvelopeError(`Error parsing JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** A text that is a query alone. */
function* asEnvelope<T>(work: Work<T>): Work<T> {
  try {
    return yield* work;
  } catch (thrown) {
    if (thrown instanceof QuernError) throw new EnvelopeError(thrown.message);
    throw thrown;
  }
}

/** `dg.<random>.<number>`, as Dgraph calls blank nodes that have no name. */
function namesOfBlanks(): () => string {
  const random = Math.floor(Math.random() * 2 ** 32);
  let count = 0;
  return () => `dg.${random}.${++count}`;
}

function* conditionOf(text: unknown): Work<Filter | undefined> {
  if (text === undefined || text === null || text === "") return undefined;
  const [, inner] = (typeof text === "string" && /^\s*@(?:if|filter)\s*\((.*)\)\s*$/s.exec(text)) || [];
  if (inner === undefined) throw refusal("invalid cond value: must start with @if( or @filter(");
  return yield* parseCondition(inner);
}

/** @param inner of the parentheses */
function* parseCondition(inner: string): Work<Filter | undefined> {
  const cursor = new Cursor(`(${inner})`);
  const filter = yield* parseFilter(cursor);
  if (cursor.peek().kind !== "end") throw refusal("invalid cond value: unexpected content after condition");
  return filter;
}

function* checked(text: string | undefined, mutations: readonly Mutation[]): Work<WriteRequest> {
  const query = text === undefined ? undefined : yield* parseDocument(text);
  const used = new Set(mutations.flatMap(usedBy));
  if (query === undefined) {
    if (used.size > 0) throw refusal(`variables [${[...used].join(" ")}] not defined`);
    return { query, inputs: {}, mutations };
  }
  checkVariables(query, mutations, used);
  checkParameters(query);
  return { query, inputs: {}, mutations };
}

function usedBy({ set, delete: deleted }: Mutation): readonly string[] {
  return [...set, ...deleted].flatMap(({ subject, object }: Triple) =>
    [subject, object].flatMap((term) => (term.kind === "variable" || term.kind === "val" ? [term.name] : [])),
  );
}

function checkVariables({ blocks }: Document, mutations: readonly Mutation[], written: ReadonlySet<string>): void {
  const uses = blocks.map(usesOfBlock);
  const defined = uses.flatMap((each) => each.defined);
  const names = new Set(defined);
  const asked = new Set([...uses.flatMap((each) => [...each.used]), ...mutations.flatMap(({ condition }) => [...usesOfFilter(condition)])]);
  const facts = (used: ReadonlySet<string>) => `\nDefined:[${[...names].sort().join(" ")}]\nUsed:[${[...used].sort().join(" ")}]\n`;
  if (names.size < defined.length) throw refusal("Some variables are declared multiple times.");
  if ([...asked].some((name) => !names.has(name))) throw refusal(`Some variables are used but not defined${facts(asked)}`);
  if ([...written].some((name) => !names.has(name))) throw refusal(`Variables are not used properly. ${facts(written)}`);
  const used = new Set([...asked, ...written]);
  if (defined.some((name) => !used.has(name))) throw refusal(`Some variables are defined but not used${facts(used)}`);
}
