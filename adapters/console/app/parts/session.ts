// The admin token of this tab. The address may carry it in its fragment, which no server sees; it is removed at once.

import { decoded } from "./router.ts";

const tokenName = "quern.token";

const inAddress = /^#token=([^&/]*)&?(.*)$/;

export function isTokenInAddress(): boolean {
  return inAddress.test(window.location.hash);
}

/** Takes the token out of the address bar, if it is there, and keeps it for this tab. */
export function takeToken(): string {
  const [, sent, rest = ""] = inAddress.exec(window.location.hash) ?? [];
  if (sent === undefined) return window.sessionStorage.getItem(tokenName) ?? "";
  const token = decoded(sent);
  window.history.replaceState(null, "", `${window.location.pathname}${rest === "" ? "" : `#${rest}`}`);
  keepToken(token);
  return token;
}

export function keepToken(token: string): void {
  if (token === "") window.sessionStorage.removeItem(tokenName);
  else window.sessionStorage.setItem(tokenName, token);
}
