// The request of a call with its values.

import { type FieldSelection, type RequestView, writeJson } from "../../../core/plugin.ts";
import type { RemoteRequest } from "../../remote/index.ts";
import { operationText } from "../graphql/operation-text.ts";
import { headersOf } from "../http/headers.ts";
import type { Secrets } from "../http/secrets.ts";
import { bodyText, fillBody } from "../template/body-template.ts";
import { fillUrl } from "../template/url-template.ts";
import type { TemplateValues } from "../template/value-text.ts";
import type { RemoteCall } from "./remote-call.ts";

export interface CallContext {
  readonly request: RequestView;
  readonly selection: FieldSelection;
  readonly signal: AbortSignal;
  readonly secrets: Secrets;
}

/** The request for one set of values. */
export function singleRequest(call: RemoteCall, values: TemplateValues, context: CallContext): RemoteRequest {
  return requestWith(call, context, { url: fillUrl(call.url, values), body: singleBody(call, values, context) });
}

function singleBody({ operation, body }: RemoteCall, values: TemplateValues, { selection }: CallContext): string | undefined {
  if (operation) return writeJson({ query: operationText(operation, selection), variables: Object.fromEntries(values) });
  return body && bodyText(fillBody(body, values));
}

/** One request for several sets of values. */
export function batchRequest(call: RemoteCall, parents: readonly TemplateValues[], context: CallContext): RemoteRequest {
  return requestWith(call, context, { url: fillUrl(call.url, new Map()), body: batchBody(call, parents, context) });
}

function batchBody({ operation, body }: RemoteCall, parents: readonly TemplateValues[], { selection }: CallContext): string {
  if (!operation) return writeJson(parents.map((values) => (body ? (fillBody(body, values) ?? null) : null)));
  const [variable = ""] = operation.used;
  // Services that were written for Dgraph know the fields by their own names, whatever the keys of the template are.
  const list = parents.map((values) => Object.fromEntries(values));
  return writeJson({ query: operationText(operation, selection), variables: { [variable]: list } });
}

function requestWith(
  { method, headers }: RemoteCall,
  { request, secrets }: CallContext,
  { url, body }: Pick<RemoteRequest, "url" | "body">,
): RemoteRequest {
  return { method, url, headers: headersOf(headers, secrets, request.headers), body };
}
