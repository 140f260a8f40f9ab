// Authorizes administrators on the paths outside `/admin`, whose refusals have another form.

import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { type AdminCode, adminErrors, openAnswer, tokenRefused } from "../http/respond.ts";
import type { AdminGuard } from "./admin-guard.ts";

/** The refusal; undefined: the caller has the token, where one is needed, and an allowed address. */
export function refuseCaller(
  request: Omit<HttpRequest, "body">,
  guard: AdminGuard,
  { code, status = 200 }: { readonly code: AdminCode; readonly status?: number },
): HttpResponse | undefined {
  const tokenProblem = guard.tokenProblem(request);
  if (tokenProblem !== undefined) return tokenRefused(tokenProblem, code, status);
  const addressProblem = guard.addressProblem(request);
  return addressProblem === undefined ? undefined : openAnswer(adminErrors(code, addressProblem), status);
}
