// A lambda server: receives calls by HTTP.

import { type AnswerError, type AnswerValue, isObject, parseAnswerInTurns, parseJson, writeJson } from "../../../core/plugin.ts";
import type { HttpClient } from "../../remote/index.ts";
import { Failure, PassedErrors } from "./failure.ts";
import type { LambdaCall, LambdaHandler } from "./handler.ts";

/** @param client may ask the address of the server */
export function lambdaServer(url: string, client: HttpClient): LambdaHandler {
  return {
    handles: () => true,
    async call(call) {
      const request = { method: "POST", url, headers: { "content-type": "application/json" }, body: writeJson(bodyOf(call)) };
      const { status, text } = await client.send(request, { signal: call.signal, ...(!call.event && { operation: call.signal }) });
      if (status < 200 || status > 299) throw passedErrors(text) ?? new Error(`unexpected error with: ${status}`);
      // The answer to an event says nothing.
      return call.event ? null : await answerOf(text);
    },
    close: () => client.close(),
  };
}

async function answerOf(text: string): Promise<AnswerValue> {
  try {
    return await parseAnswerInTurns(text);
  } catch {
    // No part of the answer: the server has the token of the caller, and may repeat it.
    const reason = text === "" ? "EOF" : "the answer is no JSON";
    throw new Failure(`json unmarshalling result of external request failed (with error: ${reason}) `);
  }
}

/** The errors of `{"errors": [...]}`. */
function passedErrors(text: string): PassedErrors | undefined {
  try {
    const answer = parseJson(text);
    const errors = isObject(answer) && Array.isArray(answer.errors) ? answer.errors.filter(isObject) : [];
    return errors.length > 0 ? new PassedErrors(errors.map(passedError)) : undefined;
  } catch {
    return undefined;
  }
}

function passedError({ message, path }: Readonly<Record<string, unknown>>): AnswerError {
  const steps = Array.isArray(path)
    ? path.filter((step): step is string | number => typeof step === "string" || typeof step === "number")
    : undefined;
  return { message: typeof message === "string" ? message : "", ...(steps && { path: steps }) };
}

/** Members without a value are left out, as Dgraph does. */
function bodyOf({ resolver, accessToken, authHeader, args, parents, event }: LambdaCall): object {
  if (event) return { resolver, ...(accessToken !== "" && { "X-Dgraph-AccessToken": accessToken }), ...(authHeader && { authHeader }), event };
  const shared = { resolver, "X-Dgraph-AccessToken": accessToken, authHeader: authHeader ?? { key: "", value: "" } };
  return parents ? { ...shared, parents } : { ...shared, args: args ?? {} };
}
