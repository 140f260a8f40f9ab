// The checks that the route table is made of. Each returns the refusal of a request, or undefined to let it pass.

import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { type AdminCode, adminErrors, openAnswer, openHeaders, tokenRefused } from "../http/respond.ts";
import type { AdminGuard } from "./admin-guard.ts";
import { refuseCaller } from "./refuse-caller.ts";

/** Decided on the head of a request alone, before its body is read. */
export type Check = (request: Omit<HttpRequest, "body">, guard: AdminGuard) => HttpResponse | undefined;

/** Refuses every method but these, with status 405 unless `status` says otherwise. */
export function methods(allowed: readonly string[], { status = 405 }: { readonly status?: number } = {}): Check {
  const refusal = openAnswer(adminErrors("ErrorInvalidMethod", "Invalid method"), status);
  return ({ method }) => (allowed.includes(method) ? undefined : refusal);
}

/** Answers a preflight request (`OPTIONS`), so that checks after it do not see one. */
export const preflight: Check = ({ method }) => (method === "OPTIONS" ? openHeaders : undefined);

/** Requires the admin token or an admin key, unless `admin.open` lets the request do without; refuses in the words of `/admin`. */
export const adminToken: Check = (request, guard) => (guard.hasToken(request) ? undefined : wrongToken);

/** Requires an address on the list `admin.allow`, where there is one. @param textOf the message of the refusal, from its reason */
export function adminAddress(code: AdminCode, textOf: (reason: string) => string = (reason) => reason): Check {
  return (request, guard) => {
    const reason = guard.addressProblem(request);
    return reason === undefined ? undefined : openAnswer(adminErrors(code, textOf(reason)));
  };
}

/** Requires token and address; refuses in the words of the paths outside `/admin`. */
export function administrator(refusal: { readonly code: AdminCode; readonly status?: number }): Check {
  return (request, guard) => refuseCaller(request, guard, refusal);
}

const wrongToken = tokenRefused("Invalid X-Dgraph-AuthToken", "ErrorUnauthorized");
