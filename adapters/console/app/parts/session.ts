// The admin token of this tab. The address may carry it in its fragment, which no server sees; it is removed at once.

const tokenName = "quern.token";

/** Takes the token out of the address bar, if it is there, and keeps it for this tab. */
export function takeToken(): string {
  const [, sent, rest = ""] = /^#token=([^&/]*)&?(.*)$/.exec(window.location.hash) ?? [];
  if (sent === undefined) return window.sessionStorage.getItem(tokenName) ?? "";
  const token = decodeURIComponent(sent);
  window.history.replaceState(null, "", `${window.location.pathname}${rest === "" ? "" : `#${rest}`}`);
  keepToken(token);
  return token;
}

export function keepToken(token: string): void {
  if (token === "") window.sessionStorage.removeItem(tokenName);
  else window.sessionStorage.setItem(tokenName, token);
}
