// `/query`, `/mutate` and `/commit` over HTTP.

import { type HttpRequest, type HttpResponse, type PluginRoute, QuernError, type Snapshot, writeJson, writeJsonInTurns } from "../../core/plugin.ts";
import type { AnswerObject } from "./answer/node.ts";
import { answerCommit } from "./commit-http.ts";
import { answerMutate } from "./mutate-http.ts";
import { EnvelopeError } from "./mutation/envelope.ts";
import { hiddenUnderRules, type OverlaySource } from "./overlay/overlay-snapshot.ts";
import { flagOf, transactionOf } from "./parameters.ts";
import { type DqlVariables, runText } from "./request/run-text.ts";
import { badRequest, json, long, refusal } from "./respond.ts";
import { budgetOf, type DocumentBudget, type WorkLimits } from "./state/document-budget.ts";
import { contextFor, type OpenTransaction } from "./transactions/open-transaction.ts";
import { begin, goOn, type TransactionParameters, type TransactionServer } from "./transactions/requests.ts";

/** Answers of fewer values are written in one go: less than a millisecond of work. */
const fewValues = 2_048;

export interface RouteOptions extends TransactionServer {
  readonly limits: WorkLimits;
}

export function dqlRoutes(options: RouteOptions): readonly PluginRoute[] {
  return [
    { path: "/query", methods: ["GET", "POST"], access: "administrators", answer: (request) => answerQuery(request, options) },
    { path: "/mutate", methods: ["GET", "POST", "PUT"], access: "administrators", answer: (request) => answerMutate(request, options) },
    { path: "/commit", methods: ["POST", "PUT"], access: "administrators", answer: (request) => answerCommit(request, options) },
  ];
}

async function answerQuery(request: HttpRequest, options: RouteOptions): Promise<HttpResponse> {
  const { kernel } = options;
  const begun = performance.now();
  try {
    const parameters = transactionOf(request);
    const question = questionOf(request);
    const work = budgetOf(options);
    const { data, transaction } = await answerData(request, { question, parameters, work, options });
    const latency = { server_latency: { total_ns: Math.round((performance.now() - begun) * 1e6) } };
    const answer = { data, extensions: { ...latency, ...(transaction && { txn: contextFor(transaction) }) } };
    return work.held > fewValues ? long(await writeJsonInTurns(answer, kernel.limits.maxAnswerBytes)) : json(writeJson(answer));
  } catch (thrown) {
    if (thrown instanceof EnvelopeError) return badRequest(thrown.message);
    if (thrown instanceof QuernError) return refusal(thrown.compatible ?? thrown.message);
    throw thrown;
  }
}

interface Asking {
  readonly question: Question;
  readonly parameters: TransactionParameters;
  readonly work: DocumentBudget;
  readonly options: RouteOptions;
}

interface Answered {
  readonly data: AnswerObject;
  /** Undefined: the answer is all that its client wants. */
  readonly transaction?: OpenTransaction;
}

/** A query may be the first one of a transaction, unless it asks for any data of late, or GET. */
async function answerData(request: HttpRequest, asking: Asking): Promise<Answered> {
  const { parameters, options } = asking;
  const isLoose = flagOf(request, "be") || request.method === "GET";
  flagOf(request, "ro");
  if (parameters.startTs !== undefined) {
    const transaction = await goOn(parameters, request, options);
    return { data: await transaction.inTurn(async () => readIn(transaction, request, asking)), transaction };
  }
  let transaction: OpenTransaction | undefined;
  // The view outlives the request in which a transaction begins.
  const onGone = request.onGone && ((listener: () => void) => request.onGone?.(() => transaction ?? listener()));
  const snapshot = options.kernel.snapshot({ onGone });
  try {
    const data = await read(request, asking, snapshot);
    if (isLoose) return { data };
    transaction = await begin(request, options, snapshot);
    return { data, transaction };
  } finally {
    if (!transaction) snapshot.close();
  }
}

async function readIn(transaction: OpenTransaction, request: HttpRequest, asking: Asking): Promise<AnswerObject> {
  const { snapshot } = transaction.begun;
  if (!transaction.hasWritten) return await read(request, asking, snapshot);
  const { overlay, facts } = await transaction.draft(asking.work);
  const own = { overlay, index: facts.index, types: facts.catalog.types };
  const seen = await asking.options.kernel.outsideRules(snapshot, request.headers);
  return await read(request, asking, snapshot, seen === snapshot ? own : { ...own, hidden: await hiddenUnderRules(seen, own) });
}

async function read(request: HttpRequest, { question, work, options }: Asking, snapshot: Snapshot, own?: OverlaySource): Promise<AnswerObject> {
  const { kernel } = options;
  const schema = kernel.served;
  if (!schema) throw new QuernError("NO_SCHEMA", "No schema is deployed yet.");
  const permissions = await kernel.permissions(request.headers);
  const visible = permissions ? { ...schema, mayRead: permissions.mayRead } : schema;
  const seen = await kernel.outsideRules(snapshot, request.headers);
  return await runText(question.query, question.variables, { schema: visible, snapshot: seen, work, ...(own && { own }) });
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
