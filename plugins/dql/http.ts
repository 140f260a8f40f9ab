// `/query`, `/mutate` and `/commit` over HTTP.

import {
  type HttpRequest,
  type HttpResponse,
  type KernelAccess,
  type PluginRoute,
  QuernError,
  writeJson,
  writeJsonInTurns,
} from "../../core/plugin.ts";
import { answerMutate } from "./mutate-http.ts";
import { type DqlVariables, runText } from "./request/run-text.ts";
import { json, long, refusal } from "./respond.ts";
import { DocumentBudget, timeLimit, type WorkLimits } from "./state/document-budget.ts";
import type { FactsCache } from "./write/facts.ts";

/** Answers of fewer values are written in one go: less than a millisecond of work. */
const fewValues = 2_048;

export interface RouteOptions {
  readonly kernel: KernelAccess;
  readonly limits: WorkLimits;
  readonly rules: boolean;
  readonly facts: FactsCache;
}

export function dqlRoutes(options: RouteOptions): readonly PluginRoute[] {
  return [
    { path: "/query", methods: ["GET", "POST"], access: "administrators", answer: (request) => answerQuery(request, options) },
    { path: "/mutate", methods: ["GET", "POST", "PUT"], access: "administrators", answer: (request) => answerMutate(request, options) },
  ];
}

async function answerQuery(request: HttpRequest, { kernel, limits }: RouteOptions): Promise<HttpResponse> {
  const begun = performance.now();
  try {
    const { query, variables } = questionOf(request);
    const schema = kernel.served;
    if (!schema) throw new QuernError("NO_SCHEMA", "No schema is deployed yet.");
    const permissions = await kernel.permissions(request.headers);
    const visible = permissions ? { ...schema, mayRead: permissions.mayRead } : schema;
    const snapshot = kernel.snapshot({ onGone: request.onGone });
    const work = new DocumentBudget(limits, { check: timeLimit(kernel.limits), values: kernel.limits });
    try {
      const seen = await kernel.outsideRules(snapshot, request.headers);
      const data = await runText(query, variables, { schema: visible, snapshot: seen, work });
      const extensions = { server_latency: { total_ns: Math.round((performance.now() - begun) * 1e6) } };
      const answer = { data, extensions };
      return work.held > fewValues ? long(await writeJsonInTurns(answer, kernel.limits.maxAnswerBytes)) : json(writeJson(answer));
    } finally {
      snapshot.close();
    }
  } catch (thrown) {
    if (thrown instanceof QuernError) return refusal(thrown.message);
    throw thrown;
  }
}

interface Question {
  readonly query: string;
  readonly variables: DqlVariables;
}

function questionOf({ method, url, headers, body }: HttpRequest): Question {
  if (method === "GET") return fromAddress(new URL(url, "http://localhost").searchParams);
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const text = new TextDecoder().decode(body);
  switch (type.trim().toLowerCase()) {
    case "application/json":
      return fromJson(text);
    case "application/dql":
    case "application/graphql+-":
      return { query: text, variables: {} };
    default:
      throw new QuernError(
        "REQUEST_INVALID",
        "Unsupported Content-Type. Supported content types are application/json, application/graphql+-,application/dql",
      );
  }
}

function fromAddress(parameters: URLSearchParams): Question {
  const variables = parameters.get("variables");
  return { query: parameters.get("query") ?? "", variables: variables === null ? {} : textsOf(parseObject(variables)) };
}

function fromJson(text: string): Question {
  const { query, variables } = parseObject(text);
  if (query !== undefined && query !== null && typeof query !== "string") throw invalid("query must be a text");
  return { query: query ?? "", variables: variables === undefined || variables === null ? {} : textsOf(variables) };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(text));
  } catch (thrown) {
    if (thrown instanceof QuernError) throw thrown;
    throw invalid("the body must be a JSON object with query and variables");
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid("expected a JSON object");
  return Object.fromEntries(Object.entries(value));
}

/** Null is not given. */
function textsOf(value: unknown): DqlVariables {
  const texts = Object.entries(objectOf(value)).flatMap(([name, each]): [string, string][] => {
    if (each === null) return [];
    if (typeof each !== "string") throw invalid(`the variable ${name} must be a text, also when its type is a number or a boolean`);
    return [[name, each]];
  });
  return Object.fromEntries(texts);
}

function invalid(message: string): QuernError {
  return new QuernError("REQUEST_INVALID", `Invalid JSON: ${message}.`);
}
