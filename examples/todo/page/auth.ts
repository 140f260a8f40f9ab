// The client of better-auth. The session is a cookie that scripts cannot read.

import { twoFactorClient } from "better-auth/client/plugins";
import { createAuthClient } from "better-auth/react";

export const auth = createAuthClient({ plugins: [twoFactorClient()] });

/** Where links of mails and providers lead back to. */
export const home = "/todo";

export interface Answer {
  readonly error?: { readonly message?: string | undefined; readonly status?: number | undefined } | null;
}

/** What went wrong, for people; empty: nothing. */
export function problemOf({ error }: Answer): string {
  if (!error) return "";
  return error.message || (error.status === 429 ? "Too many tries. Wait a little." : `The server answers ${error.status}.`);
}
