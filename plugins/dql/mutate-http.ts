// `/mutate` over HTTP.

import { type HttpRequest, type HttpResponse, type KernelAccess, QuernError, run, writeJson } from "../../core/plugin.ts";
import { EnvelopeError } from "./mutation/envelope.ts";
import { badRequest, json, refusal } from "./respond.ts";
import { DocumentBudget, timeLimit, type WorkLimits } from "./state/document-budget.ts";
import { dataOf } from "./write/answer.ts";
import { commitNow } from "./write/commit.ts";
import type { FactsCache } from "./write/facts.ts";
import { parseWriteJson, parseWriteText } from "./write/parse-request.ts";
import type { WriteAnswer } from "./write/run-write.ts";

export interface MutateOptions {
  readonly kernel: KernelAccess;
  readonly limits: WorkLimits;
  readonly rules: boolean;
  readonly facts: FactsCache;
}

export async function answerMutate(request: HttpRequest, options: MutateOptions): Promise<HttpResponse> {
  if (request.method === "GET") return invalidMethod();
  const begun = performance.now();
  try {
    const work = budgetOf(options);
    parametersOf(request);
    const written = await run(parsed(request), work);
    const answer = await commitNow(written, contextOf(request, options));
    return json(writeJson(bodyOf(answer, { begun })));
  } catch (thrown) {
    if (thrown instanceof EnvelopeError) return badRequest(thrown.message);
    if (thrown instanceof QuernError) return refusal(thrown.compatible ?? thrown.message);
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

function budgetOf({ kernel, limits }: MutateOptions): DocumentBudget {
  return new DocumentBudget(limits, { check: timeLimit(kernel.limits), values: kernel.limits });
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

const goTrue = ["1", "t", "T", "true", "TRUE", "True"];
const goFalse = ["0", "f", "F", "false", "FALSE", "False"];

function parametersOf({ url }: HttpRequest): { readonly commitNow: boolean } {
  const word = new URL(url, "http://localhost").searchParams.get("commitNow") ?? "";
  if (word !== "" && !goTrue.includes(word) && !goFalse.includes(word))
    throw new EnvelopeError(`while parsing commitNow as bool: strconv.ParseBool: parsing ${JSON.stringify(word)}: invalid syntax`);
  return { commitNow: goTrue.includes(word) };
}

function bodyOf(answer: WriteAnswer, { begun }: { readonly begun: number }) {
  return { data: dataOf(answer), extensions: { server_latency: { total_ns: Math.round((performance.now() - begun) * 1e6) } } };
}

function invalidMethod(): HttpResponse {
  return { ...json(writeJson({ errors: [{ message: "Invalid method", extensions: { code: "ErrorInvalidMethod" } }] })), status: 400 };
}
