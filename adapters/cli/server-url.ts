// Talks to a running server: every failure on the way is one sentence.

import { QuernError } from "../../core/index.ts";
import { givenToken, type TokenOptions } from "./admin-token.ts";
import { runningServer } from "./running-server.ts";

export interface Post {
  readonly body: string;
  readonly contentType: string;
}

/** A running server, and what lets a command administrate it. */
export interface ServerAddress {
  /** With or without `/graphql` at its end. */
  readonly url: string;
  /** Undefined: none is known. */
  readonly token?: string | undefined;
}

export interface ServerChoice extends TokenOptions {
  readonly url: string;
}

/** The server at `url` with the token that was given, or the one that a server of this user on this machine has left for its commands. */
export async function serverAt(choice: ServerChoice): Promise<ServerAddress> {
  const { url } = choice;
  const token = await givenToken(choice);
  return token === undefined ? ((await runningServer(baseUrl(url))) ?? { url }) : { url, token };
}

/**
 * Posts to `path` of the server and gives the text of its answer.
 * Errors: `STORE_UNAVAILABLE` when nobody answers there, or something that is no Quern; `OUTCOME_UNKNOWN` when the connection breaks.
 */
export async function postText(server: ServerAddress, path: string, post: Post): Promise<string> {
  return await answerIn(await send(server, path, post));
}

/** As `postText`, as far as the head of the answer. */
export async function send({ url, token }: ServerAddress, path: string, { body, contentType }: Post): Promise<Response> {
  const headers = { "content-type": contentType, ...(token === undefined ? {} : { "x-service-authtoken": token }) };
  const target = new URL(path, baseUrl(url));
  // The token is for this server, and not for whoever it names.
  return await fetch(target, { method: "POST", headers, body, redirect: "manual" }).catch((cause: unknown) => {
    throw unanswered(target.origin, cause);
  });
}

/** The whole text of an answer, which must be JSON. */
export async function answerIn(response: Response): Promise<string> {
  const text = await response.text().catch((cause: unknown) => {
    throw brokenOff(originOf(response), cause);
  });
  if (!text.startsWith("{"))
    throw new QuernError("STORE_UNAVAILABLE", `${response.url} answers with status ${response.status} and no JSON; is a Quern server there?`);
  return text;
}

/** The lines of an answer as they come, without their ends. Errors: `OUTCOME_UNKNOWN` when the connection breaks. */
export async function* linesOf(response: Response): AsyncGenerator<string, void, void> {
  let rest = "";
  try {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (cause) {
    throw brokenOff(originOf(response), cause);
  }
  if (rest !== "") yield rest;
}

function originOf({ url }: Response): string {
  return new URL(url).origin;
}

function unanswered(origin: string, cause: unknown): QuernError {
  const reason = cause instanceof Error && cause.cause instanceof Error && "code" in cause.cause ? cause.cause.code : undefined;
  if (reason === "UND_ERR_HEADERS_TIMEOUT" || reason === "UND_ERR_SOCKET" || reason === "ECONNRESET") return brokenOff(origin, cause);
  return new QuernError("STORE_UNAVAILABLE", `Nobody answers at ${origin}; start the server there (quern start), or check --url.`, { cause });
}

function brokenOff(origin: string, cause: unknown): QuernError {
  return new QuernError("OUTCOME_UNKNOWN", `The connection to ${origin} ended before the server had answered.`, {
    cause,
    hint: "It may have taken the request and be at work: look at what it serves before you try again.",
  });
}

function baseUrl(url: string): URL {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new QuernError("CONFIG_INVALID", `--url ${url} is no web address; give one such as http://127.0.0.1:8080.`);
  }
  return new URL(url);
}
