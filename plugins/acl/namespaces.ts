// What access control asks of a server with namespaces, and the form of requests from one namespace to another.

import { type HttpRequest, type HttpResponse, isObject, type MaybePromise, parseJson, QuernError } from "../../core/plugin.ts";

/** Answers a request in one namespace, as its server answers those of clients. */
export type Ask = (request: HttpRequest) => MaybePromise<HttpResponse>;

/** The namespaces of a server. */
export interface Namespaces {
  /** Whether there is such a namespace. */
  has(namespace: number): boolean;
  /** Answers a request there. Rejects when it cannot be opened now. */
  ask(namespace: number, request: HttpRequest): Promise<HttpResponse>;
  /** Makes a namespace, which is there for others once `prepare` has resolved, and not at all when it rejects. Resolves with its number. */
  add(prepare: (ask: Ask, namespace: number) => Promise<void>): Promise<number>;
  /** Deletes a namespace with all that is in it. False: there is none. */
  delete(namespace: number): Promise<boolean>;
}

/** The admin token of the server, which every namespace asks for, if there is one. */
export function adminTokenOf(headers: HttpRequest["headers"]): HttpRequest["headers"] {
  const { "x-service-authtoken": service, "x-dgraph-authtoken": dgraph } = headers;
  return { ...(service !== undefined && { "x-service-authtoken": service }), ...(dgraph !== undefined && { "x-dgraph-authtoken": dgraph }) };
}

/** @throws QuernError with the reason of the first error in the answer */
export function answerIn(text: string): Readonly<Record<string, unknown>> {
  const answer = parseJson(text);
  const { errors, ...rest } = isObject(answer) ? answer : {};
  const first = Array.isArray(errors) ? errors[0] : undefined;
  if (isObject(first)) throw new QuernError("REQUEST_REFUSED", String(first.message));
  return rest;
}
