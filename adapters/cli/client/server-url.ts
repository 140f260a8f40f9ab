// Sends requests to a running server, with readable errors.

import { QuernError } from "../../../core/index.ts";
import { givenToken, type TokenOptions } from "./admin-token.ts";
import { connectionFailure, connectionLost } from "./connection-failure.ts";
import { runningServer } from "./running-server.ts";

export interface Post {
  readonly body: string;
  readonly contentType: string;
}

/** The address of a server, and its admin token. */
export interface ServerAddress {
  /** With or without `/graphql` at its end. */
  readonly url: string;
  /** Undefined if no token is known. */
  readonly token?: string | undefined;
  /** Of a login, for a server with access control. */
  readonly accessToken?: string | undefined;
  /** Further headers of each request, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ServerChoice extends TokenOptions {
  readonly url: string;
}

/** The server at `url` with the given token, otherwise with the token of a registered server of this user on this machine. */
export async function serverAt(choice: ServerChoice): Promise<ServerAddress> {
  const { url } = choice;
  const token = await givenToken(choice);
  return token === undefined ? ((await runningServer(baseUrl(url))) ?? { url }) : { url, token };
}

/**
 * Posts to `path` of the server and returns the text of its answer.
 * Errors: `STORE_UNAVAILABLE` if no Quern server answers there; `OUTCOME_UNKNOWN` if the connection breaks.
 */
export async function postText(server: ServerAddress, path: string, post: Post): Promise<string> {
  return await answerIn(await send(server, path, post));
}

/** As `postText`, but resolves when the headers of the answer arrive. */
export async function send(server: ServerAddress, path: string, { body, contentType }: Post): Promise<Response> {
  return await request(server, path, { method: "POST", headers: { "content-type": contentType }, body });
}

/** What is sent. */
export interface Sent {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream<Uint8Array>;
  /** For a body that is sent piece by piece. */
  readonly duplex?: "half";
}

/** With the token of the server. Errors: `STORE_UNAVAILABLE` if no server answers there. */
export async function request(server: ServerAddress, path: string, { headers: own, ...init }: Sent): Promise<Response> {
  const { url, token, accessToken } = server;
  const headers = {
    ...server.headers,
    ...own,
    ...(token !== undefined && { "x-service-authtoken": token }),
    ...(accessToken !== undefined && { "x-service-accesstoken": accessToken }),
  };
  const target = new URL(path, baseUrl(url));
  // A redirect must not carry the token to another server.
  assertSendable(headers);
  return await fetch(target, { ...init, headers, redirect: "manual" }).catch(async (cause: unknown) => {
    throw await connectionFailure(target.origin, cause);
  });
}

/** The library's own error shows the value. */
function assertSendable(headers: Readonly<Record<string, string>>): void {
  const [name] = Object.entries(headers).find(([, value]) => !/^[\t\x20-\x7e\x80-\xff]*$/u.test(value)) ?? [];
  if (name === undefined) return;
  throw new QuernError("CONFIG_INVALID", `The value of the header ${name} has a line break or another character that headers cannot hold.`);
}

/** The whole text of an answer, which must be JSON. */
export async function answerIn(response: Response): Promise<string> {
  const text = await response.text().catch((cause: unknown) => {
    throw connectionLost(originOf(response), cause);
  });
  if (!text.startsWith("{"))
    throw new QuernError("STORE_UNAVAILABLE", `${response.url} answers with status ${response.status}, but not with JSON. Is it a Quern server?`);
  return text;
}

/** The lines of an answer as they arrive, without line breaks. Errors: `OUTCOME_UNKNOWN` if the connection breaks. */
export async function* linesOf(response: Response): AsyncGenerator<string, void, void> {
  let rest = "";
  try {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (cause) {
    throw connectionLost(originOf(response), cause);
  }
  if (rest !== "") yield rest;
}

function originOf({ url }: Response): string {
  return new URL(url).origin;
}

function baseUrl(url: string): URL {
  if (/^[a-z]+:\/\/[^/?#]*@/iu.test(url)) {
    throw new QuernError(
      "CONFIG_INVALID",
      "--url has a user or a password, which Quern does not take there; set QUERN_ADMIN_TOKEN or --admin-token-file.",
    );
  }
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new QuernError("CONFIG_INVALID", `--url ${url} is not an HTTP address; use one such as http://127.0.0.1:8080.`);
  }
  return new URL(url);
}
