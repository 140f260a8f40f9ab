// An administrator acts as a user: in a session of its own, which is short, says who acts, and is not renewed.

import { type AdminFieldCall, type MaybePromise, QuernError, type RequestView } from "../../../core/plugin.ts";
import { randomId } from "../ground/random-id.ts";
import { emailField } from "../schema/account-type.ts";
import type { Row } from "../store/rows.ts";

export interface ActingParts {
  readonly createSession: (values: Row) => Promise<Row>;
  /** The token with its signature, as a client sends it. */
  readonly signed: (token: string) => Promise<string>;
  /** Who acts in the session of these headers; undefined: nobody does. */
  readonly actorOf: (headers: RequestView["headers"]) => MaybePromise<string | undefined>;
}

export interface ActingRequest {
  readonly minutes: number;
  readonly headers: RequestView["headers"];
  readonly call: AdminFieldCall;
}

export interface ActingSession {
  readonly id: string;
  readonly email: string;
  readonly by: string;
  readonly expiresAt: string;
  readonly token: string;
}

const maxMinutes = 60;

/** @throws QuernError `REQUEST_REFUSED` */
export async function actAs(
  user: Row,
  { minutes, headers, call }: ActingRequest,
  { createSession, signed, actorOf }: ActingParts,
): Promise<ActingSession> {
  call.describe(`began to act as the user ${String(user.id)} for ${minutes} minutes`);
  if (minutes < 1 || minutes > maxMinutes) throw refused(`minutes is ${minutes}; a session that acts lasts 1 to ${maxMinutes} minutes.`);
  const { who, from = "" } = await call.doer();
  if (who === "nobody") throw refused("Nobody knows who acts: send the admin token, an admin key or the token of a guardian.");
  if ((await actorOf(headers)) !== undefined) throw refused("A session that acts begins no other one. End it first.");
  if (user.disabled === true) throw refused("This user is disabled.");
  const now = new Date();
  const expiresAt = new Date(now.getTime() + minutes * 60_000);
  const { "user-agent": userAgent = "" } = headers;
  const [id, token] = [randomId(), randomId()];
  const times = { createdAt: now, updatedAt: now, expiresAt };
  await createSession({ id, token, userId: user.id ?? null, actedBy: who, ipAddress: from, userAgent, ...times });
  return { id, email: String(user[emailField]), by: who, expiresAt: expiresAt.toISOString(), token: await signed(token) };
}

function refused(message: string): QuernError {
  return new QuernError("REQUEST_REFUSED", message);
}
