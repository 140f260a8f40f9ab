// Answers that would tell whether an e-mail is known, made alike.

import { createHash } from "node:crypto";
import { type HttpResponse, isObject, type RouteRequest } from "../../../core/plugin.ts";

export function alike({ params }: RouteRequest, response: HttpResponse): HttpResponse {
  switch (params["*"]) {
    case "sign-up/email":
      return signUp(response);
    case "sign-in/email":
      return signIn(response);
    default:
      return response;
  }
}

/** Of a new user it has what the store knows, of a known e-mail what was sent: both get what was sent. */
function signUp(response: HttpResponse): HttpResponse {
  const { token, user } = membersOf(response.body) ?? {};
  if (response.status !== 200 || token !== null || !isObject(user)) return response;
  const { email, name } = { email: undefined, name: undefined, ...user };
  return json(response, 200, { token: null, user: { id: placeholder(String(email)), email, name, emailVerified: false } });
}

/** The user gets its ID when it signs in. */
function placeholder(email: string): string {
  return `pending-${createHash("sha256").update(email).digest("hex").slice(0, 16)}`;
}

const unfit: ReadonlySet<unknown> = new Set(["EMAIL_NOT_VERIFIED", "INVALID_EMAIL_OR_PASSWORD"]);

/** Whoever signs up with an e-mail and then in would learn by "not verified" that it was free. */
function signIn(response: HttpResponse): HttpResponse {
  if (!unfit.has(membersOf(response.body)?.code)) return response;
  const message = "The e-mail or the password is wrong, or the e-mail is not confirmed yet: look for a mail.";
  return json(response, 401, { code: "INVALID_EMAIL_OR_PASSWORD", message });
}

function json({ headers }: HttpResponse, status: number, body: object): HttpResponse {
  return { status, headers, body: JSON.stringify(body) };
}

/** The members of a JSON object; undefined: it is none. */
function membersOf(body: HttpResponse["body"]): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(String(body));
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
