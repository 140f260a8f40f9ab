// `/mutate` over HTTP.

import { type HttpRequest, type HttpResponse, QuernError, run, writeJson } from "../../core/plugin.ts";
import { EnvelopeError } from "./mutation/envelope.ts";
import type { WriteRequest } from "./mutation/syntax.ts";
import { flagOf, transactionOf } from "./parameters.ts";
import { badRequest, json, refusal } from "./respond.ts";
import { budgetOf, type WorkLimits } from "./state/document-budget.ts";
import { contextFor, type OpenTransaction } from "./transactions/open-transaction.ts";
import { addTo, begin, commit, goOn, type TransactionParameters, type TransactionServer } from "./transactions/requests.ts";
import { dataOf } from "./write/answer.ts";
import { commitNow } from "./write/commit.ts";
import { parseWriteJson, parseWriteText } from "./write/parse-request.ts";
import type { WriteAnswer } from "./write/run-write.ts";

/** Also of `/commit`. */
export interface MutateOptions extends TransactionServer {
  readonly limits: WorkLimits;
}

export async function answerMutate(request: HttpRequest, options: MutateOptions): Promise<HttpResponse> {
  if (request.method === "GET") return invalidMethod();
  const begun = performance.now();
  try {
    const parameters = transactionOf(request);
    const isLast = flagOf(request, "commitNow");
    const written = await run(parsed(request), budgetOf(options));
    const isWhole = isLast && parameters.startTs === undefined;
    const done = isWhole
      ? { answer: await commitNow(written, contextOf(request, options)) }
      : await answerInTransaction(request, { parameters, isLast, written, options });
    return json(writeJson(bodyOf(done, { begun })));
  } catch (thrown) {
    if (thrown instanceof EnvelopeError) return badRequest(thrown.message);
    if (thrown instanceof QuernError) return refusal(thrown.compatible ?? thrown.message);
    throw thrown;
  }
}

interface InTransaction {
  readonly parameters: TransactionParameters;
  /** The transaction is committed with this request. */
  readonly isLast: boolean;
  readonly written: WriteRequest;
  readonly options: MutateOptions;
}

interface Done {
  readonly answer: WriteAnswer;
  /** Undefined: the request was a transaction by itself. */
  readonly transaction?: OpenTransaction;
}

async function answerInTransaction(request: HttpRequest, { parameters, isLast, written, options }: InTransaction): Promise<Done> {
  const work = () => budgetOf(options);
  const isNew = parameters.startTs === undefined;
  const transaction = isNew ? await begin(request, options, options.kernel.snapshot()) : await goOn(parameters, request, options);
  try {
    const answer = await transaction.inTurn(async () => {
      const added = await addTo(transaction, { request: written, work }, request, options);
      if (isLast) await commit(transaction, request, { ...options, work });
      return added;
    });
    return { answer, transaction };
  } catch (thrown) {
    // Its client has not got its number.
    if (isNew) options.table.end(transaction);
    throw thrown;
  }
}

function contextOf({ headers, onGone }: HttpRequest, options: MutateOptions) {
  const { kernel, facts } = options;
  const schema = kernel.served;
  if (!schema) throw new QuernError("NO_SCHEMA", "No schema is deployed yet.");
  return {
    schema,
    facts: facts.of(schema),
    rules: false,
    work: () => budgetOf(options),
    write: <T>(work: Parameters<typeof kernel.write<T>>[1]) => kernel.write({ headers, language: "dql", ...(onGone && { onGone }) }, work),
  };
}

function parsed({ headers, body }: HttpRequest) {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((each) => each.startsWith("charset="))?.slice("charset=".length);
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") throw new EnvelopeError("Unsupported charset. Supported charset is UTF-8");
  const text = new TextDecoder().decode(body);
  switch (type) {
    case "application/json":
      return parseWriteJson(text);
    case "application/rdf":
      return parseWriteText(text);
    default:
      throw new EnvelopeError("Unsupported Content-Type. Supported content types are application/json, application/rdf");
  }
}

function bodyOf({ answer, transaction }: Done, { begun }: { readonly begun: number }) {
  const latency = { server_latency: { total_ns: Math.round((performance.now() - begun) * 1e6) } };
  return { data: dataOf(answer), extensions: { ...latency, ...(transaction && { txn: contextFor(transaction) }) } };
}

function invalidMethod(): HttpResponse {
  return { ...json(writeJson({ errors: [{ message: "Invalid method", extensions: { code: "ErrorInvalidMethod" } }] })), status: 400 };
}
