// `/commit` over HTTP: the end of a transaction. Which keys its client sends does not matter: the server knows what it has written.

import { type HttpRequest, type HttpResponse, parseJson, QuernError, writeJson } from "../../core/plugin.ts";
import type { MutateOptions } from "./mutate-http.ts";
import { EnvelopeError } from "./mutation/envelope.ts";
import { flagOf, transactionOf } from "./parameters.ts";
import { badRequest, json } from "./respond.ts";
import { budgetOf } from "./state/document-budget.ts";
import { commit, goOn, type TransactionServer } from "./transactions/requests.ts";

const done = { code: "Success", message: "Done" };

export async function answerCommit(request: HttpRequest, server: MutateOptions): Promise<HttpResponse> {
  try {
    const parameters = transactionOf(request);
    if (parameters.startTs === undefined) throw new EnvelopeError("startTs parameter is mandatory while trying to commit");
    if (flagOf(request, "abort")) return await abort(request, server);
    checkBody(request.body);
    const transaction = await goOn(parameters, request, server);
    await transaction.inTurn(() => commit(transaction, request, { ...server, work: () => budgetOf(server) }));
    return json(writeJson({ data: done }));
  } catch (thrown) {
    if (thrown instanceof QuernError) return badRequest(thrown.compatible ?? thrown.message);
    throw thrown;
  }
}

/** One that has ended is aborted already. */
async function abort(request: HttpRequest, server: TransactionServer): Promise<HttpResponse> {
  try {
    server.table.end(await goOn(transactionOf(request), request, server));
  } catch (thrown) {
    if (!(thrown instanceof QuernError) || thrown.code !== "CONFLICT") throw thrown;
  }
  return json(writeJson(done));
}

function checkBody(body: Uint8Array): void {
  const text = new TextDecoder().decode(body);
  if (text.trim() === "") throw new EnvelopeError("unexpected end of JSON input");
  try {
    parseJson(text);
  } catch (thrown) {
    throw new EnvelopeError(`Expected the keys of the transaction in JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
