// Runs a document as the chosen identity: its answer, its plan and the rules that restricted it; of a subscription, each result.

import { isObject, type Json, type JsonObject, listOf, parseJson, textOf } from "../../api/json.ts";
import { type Answer, administrator, answerOf, type Identity, type Server } from "../../api/server.ts";
import { kindOf, variablesIn, writes } from "../../model/operations.ts";
import { type AppliedRule, appliedRules } from "../../model/rules.ts";
import type { QueryDocument } from "./documents.ts";

export interface Run {
  readonly answer: Answer;
  readonly tookMs: number;
  readonly plan: readonly string[];
  readonly rules: readonly AppliedRule[];
  /** Results so far; undefined: it is no live subscription. */
  readonly results: number | undefined;
}

export interface Running {
  readonly server: Server;
  readonly identity: Identity;
  readonly signal: AbortSignal;
  readonly onRun: (run: Run) => void;
}

/** Ends with the answer; of a subscription of a client, when `signal` ends it or the server does. */
export async function runDocument(document: QueryDocument, { server, identity, signal, onRun }: Running): Promise<void> {
  const variables = variablesIn(document.variables);
  const as = withHeaders(identity, document.headers);
  const request = { query: document.text, variables };
  const begun = performance.now();
  if (as.kind === "client" && kindOf(document.text) === "subscription") return await follow({ ...request, as }, { signal, server, onRun, begun });
  const answer = await server.ask({ ...request, as, plan: true, signal });
  const tookMs = performance.now() - begun;
  onRun({ answer, tookMs, ...(await reasonsOf(server, { request, as, answer })), results: undefined });
}

type Request = { readonly query: string; readonly variables: JsonObject };

async function follow(
  ask: Request & { readonly as: Identity },
  { server, signal, onRun, begun }: Pick<Running, "server" | "signal" | "onRun"> & { readonly begun: number },
): Promise<void> {
  const reasons = await reasonsOf(server, { request: ask, as: ask.as, answer: undefined });
  let results = 0;
  const onEvent = (data: Json) => onRun({ answer: answerOf(data), tookMs: performance.now() - begun, ...reasons, results: ++results });
  await server.events(ask, { onEvent, signal }).catch((thrown: unknown) => {
    if (!signal.aborted) throw thrown;
  });
}

/** A client's answer has neither plan nor rules: an administrator asks for them. A mutation is not run twice. */
async function reasonsOf(
  server: Server,
  { request, as, answer }: { readonly request: Request; readonly as: Identity; readonly answer: Answer | undefined },
): Promise<Pick<Run, "plan" | "rules">> {
  const known = answer?.extensions.plan !== undefined || as.kind === administrator.kind || writes(request.query);
  const { plan, rules } = known || as.kind !== "client" ? (answer?.extensions ?? {}) : (await server.explain(request, as.headers)).extensions;
  return { plan: listOf(plan).map(textOf), rules: appliedRules(rules) };
}

/** An administrator sends no headers of a client. */
export function withHeaders(identity: Identity, text: string): Identity {
  if (identity.kind === "administrator" || text.trim() === "") return identity;
  return { kind: "client", headers: { ...headersIn(text), ...identity.headers } };
}

function headersIn(text: string): Readonly<Record<string, string>> {
  const value = parsed(text);
  if (isObject(value) && Object.values(value).every((each) => typeof each === "string"))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, textOf(each)]));
  throw new Error('Headers are a JSON object of strings, such as {"X-Tenant": "harbour"}.');
}

function parsed(text: string) {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
