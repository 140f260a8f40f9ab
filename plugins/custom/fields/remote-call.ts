// One `@custom(http:)` as it runs: templates, headers, and how often a request may be sent.

import type { AnswerError } from "../../../core/plugin.ts";
import type { CustomUse } from "../directive/custom-use.ts";
import { isBatch } from "../directive/custom-use.ts";
import { type RemoteOperation, readOperation } from "../directive/remote-operation.ts";
import { soundBody } from "../directive/template-rules.ts";
import { type HeaderEntries, headerEntry } from "../http/headers.ts";
import { type BodyTemplate, bodyVariables } from "../template/body-template.ts";
import { parseUrlTemplate, type UrlTemplate, urlVariables } from "../template/url-template.ts";

export interface RemoteCall {
  readonly typeName: string;
  readonly fieldName: string;
  readonly method: string;
  readonly url: UrlTemplate;
  readonly body: BodyTemplate | undefined;
  readonly operation: RemoteOperation | undefined;
  readonly batch: boolean;
  readonly headers: HeaderEntries;
  /** Names of the values that the templates use. */
  readonly uses: ReadonlySet<string>;
  /** It reads: it may be sent again, and once for several places. */
  readonly reads: boolean;
}

/** Undefined for a use that was reported as wrong. */
export function remoteCall(use: CustomUse): RemoteCall | undefined {
  const { http, definition, field, type } = use;
  const url = parseUrlTemplate(http.text("url") ?? "");
  const method = http.text("method");
  if (!url || method === undefined) return undefined;
  const read = http.has("graphql") ? readOperation(http.text("graphql") ?? "") : undefined;
  const operation = read && "operation" in read ? read.operation : undefined;
  const body = soundBody(use);
  const { path, query } = urlVariables(url);
  const batch = isBatch(use);
  // In a batch the variable of the operation is the list.
  const declared = batch ? [] : (operation?.declared ?? []);
  return {
    typeName: definition.name.value,
    fieldName: field.name.value,
    method,
    url,
    body,
    operation,
    batch,
    headers: { secret: http.texts("secretHeaders").map(headerEntry), forward: http.texts("forwardHeaders").map(headerEntry) },
    uses: new Set([...path, ...query, ...bodyVariables(body), ...declared]),
    reads: definition.name.value !== "Mutation" && (method === "GET" || (batch && type !== undefined)),
  };
}

/** The error of a request that failed. */
export function failure({ fieldName, typeName }: RemoteCall, reason: string): AnswerError {
  return { message: `Evaluation of custom field failed because ${reason} for field: ${fieldName} within type: ${typeName}.` };
}

export function externalFailure(call: RemoteCall, reason: string): AnswerError {
  return failure(call, `external request returned an error: ${reason}`);
}
