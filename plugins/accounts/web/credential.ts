// What of a request's headers may name a session.

import type { RequestView } from "../../../core/plugin.ts";
import { isForeignPage } from "./origin.ts";

/** A session's token with its signature, as the client has sent it. */
export interface Credential {
  readonly by: "cookie" | "authorization";
  /** The header of this name, with nothing else. */
  readonly header: string;
}

export interface CredentialOptions {
  /** Names of cookies that hold a session. */
  readonly cookies: readonly string[];
  /** Origins whose pages count as the server's own. */
  readonly listed: readonly string[];
}

/** A bearer token says who asks, whatever page sends it; a browser adds the cookie to what any page sends. */
export function credentialOf(headers: RequestView["headers"], { cookies, listed }: CredentialOptions): Credential | undefined {
  const bearer = sessionBearer(headers.authorization);
  if (bearer !== undefined) return { by: "authorization", header: bearer };
  const cookie = headers.cookie === undefined ? undefined : sessionCookie(headers.cookie, cookies);
  return cookie === undefined || isForeignPage(headers, listed) ? undefined : { by: "cookie", header: cookie };
}

/** `token.signature`: a JWT has two dots, other keys have none. */
const bearerForm = /^bearer +([^ .]+\.[^ .]+)$/i;

function sessionBearer(header: string | undefined): string | undefined {
  const [, token] = bearerForm.exec(header?.trim() ?? "") ?? [];
  return token === undefined ? undefined : `Bearer ${token}`;
}

function sessionCookie(header: string, names: readonly string[]): string | undefined {
  return header
    .split(";")
    .map((each) => each.trim())
    .find((each) => names.some((name) => each.startsWith(`${name}=`)));
}
