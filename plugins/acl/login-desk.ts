// Where logins come in: those for another namespace are passed on to it, as a request of their own.

import { type HttpRequest, isObject, QuernError, writeJson } from "../../core/plugin.ts";
import type { Credentials, Logins } from "./login.ts";
import { adminTokenOf, answerIn, type Namespaces } from "./namespaces.ts";
import type { TokenPair, Tokens } from "./token-pairs.ts";

type Request = Pick<HttpRequest, "headers" | "remoteAddress">;

export interface DeskOptions {
  /** That of the logins here. */
  readonly namespace: number;
  /** Undefined: there are no others. */
  readonly namespaces: Namespaces | undefined;
  readonly tokens: Tokens;
}

export class LoginDesk {
  readonly #logins: Logins;
  readonly #options: DeskOptions;

  constructor(logins: Logins, options: DeskOptions) {
    this.#logins = logins;
    this.#options = options;
  }

  /** Rejects with a QuernError whose message is the reason. */
  async login(credentials: Credentials, request: Request): Promise<TokenPair> {
    const namespace = await this.#namespaceOf(credentials);
    const given = { namespace, ...definedOf(credentials) };
    const { namespaces } = this.#options;
    // An unknown namespace is refused as an unknown user is.
    if (namespaces === undefined || namespace === this.#options.namespace || !namespaces.has(namespace)) {
      return await this.#logins.login(given, request.remoteAddress ?? "");
    }
    return await passedOn(given, { request, namespace, namespaces });
  }

  /** A refresh token says where it is from. */
  async #namespaceOf({ namespace, refreshToken = "" }: Credentials): Promise<number> {
    if (namespace !== undefined || refreshToken === "") return namespace ?? 0;
    const { tokens, namespace: own } = this.#options;
    return await tokens.refreshed(refreshToken).then(
      (subject) => subject.namespace,
      () => own,
    );
  }
}

function definedOf(credentials: Credentials): Credentials {
  return Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== undefined));
}

interface Passing {
  readonly request: Request;
  readonly namespace: number;
  readonly namespaces: Namespaces;
}

async function passedOn({ user, password, refreshToken }: Credentials, { request, namespace, namespaces }: Passing): Promise<TokenPair> {
  const { headers, remoteAddress } = request;
  const body = Buffer.from(writeJson({ userid: user, password, refresh_token: refreshToken, namespace }));
  const answer = await namespaces.ask(namespace, {
    method: "POST",
    url: "/login",
    headers: { ...adminTokenOf(headers), "content-type": "application/json" },
    body,
    ...(remoteAddress !== undefined && { remoteAddress }),
  });
  return tokensIn(String(answer.body));
}

function tokensIn(text: string): TokenPair {
  const { data } = answerIn(text);
  const { accessJWT, refreshJWT } = isObject(data) ? data : {};
  if (typeof accessJWT === "string" && typeof refreshJWT === "string") return { accessJWT, refreshJWT };
  throw new QuernError("INTERNAL", "A login in another namespace was answered without tokens.");
}
