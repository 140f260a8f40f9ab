// Admin tokens and API keys that can be guessed.

import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { QuernError } from "../../../core/index.ts";
import { isLoopbackHost } from "../http/this-machine.ts";
import { type AdminConfig, defaultHost } from "./config.ts";

const leastCharacters = 32;

/** What is wrong with the admin tokens; undefined: all are long enough. It shows none of them. */
export function shortTokens(token: AdminConfig["token"]): string | undefined {
  const short = [token ?? []].flat().find(({ length }) => length < leastCharacters);
  if (short === undefined) return undefined;
  return `An admin token has ${short.length} characters and can be guessed: it needs at least ${leastCharacters}. Make one with: openssl rand -base64 32`;
}

/** A server that listens beyond this machine does not start with a short token. */
export function reachableTokenProblems(token: AdminConfig["token"], host = defaultHost): readonly QuernError[] {
  const problem = isLoopbackHost(isIP(host) === 6 ? `[${host}]` : host) ? undefined : shortTokens(token);
  return problem === undefined ? [] : [new QuernError("CONFIG_INVALID", `${problem} (host ${host})`)];
}

const empty: ReadonlySet<string> = new Set(["", "\n", "\r\n"].map((text) => createHash("sha256").update(text).digest("hex")));

/** The hash of nothing: the variable of the key was empty when its hash was made. Anybody could send that key. */
export function isHashOfNothing(hash: string): boolean {
  return empty.has(hash.toLowerCase());
}
