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
    if (part.set === undefined && part.delete === undefined) continue;
    parsed.push({
      condition: typeof query === "string" ? yield* conditionOf(part.cond) : undefined,
      set: part.set === undefined || part.set === null ? [] : yield* triplesToSet(part.set, newName),
      delete: part.delete === undefined || part.delete === null ? [] : yield* triplesToDelete(part.delete),
    });
  }
  if (typeof query !== "string" && parsed.length === 0) throw refusal("empty request");
  return yield* checked(typeof query === "string" ? query : undefined, parsed);
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (thrown) {
    throw new EnvelopeError(`Error parsing JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  if (!isObject(body)) throw new EnvelopeError("Error parsing JSON: expected an object with set, delete, mutations or query");
  return body;
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
    return { query, mutations };
  }
  checkVariables(query, mutations, used);
  checkParameters(query);
  return { query, mutations };
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
