// Talks to a running server: every failure on the way is one sentence.

import { QuernError } from "../../core/index.ts";

export interface Post {
  readonly body: string;
  readonly contentType: string;
}

/** Environment variable with the admin token, which must not stand among the process's arguments. */
const tokenVariable = "QUERN_ADMIN_TOKEN";

/**
 * Posts to `path` of the server at `url` (with or without `/graphql` at its end) and gives the text of its answer.
 * Errors: `STORE_UNAVAILABLE` when nobody answers there, or something that is no Quern.
 */
export async function postText(url: string, path: string, { body, contentType }: Post): Promise<string> {
  const token = process.env[tokenVariable];
  const headers = { "content-type": contentType, ...(token === undefined ? {} : { "x-service-authtoken": token }) };
  const target = new URL(path, baseUrl(url));
  const response = await fetch(target, { method: "POST", headers, body }).catch((cause: unknown) => {
    throw new QuernError("STORE_UNAVAILABLE", `Nobody answers at ${target.origin}; start the server there (quern start), or check --url.`, { cause });
  });
  const text = await response.text();
  if (!text.startsWith("{"))
    throw new QuernError("STORE_UNAVAILABLE", `${target.href} answers with status ${response.status} and no JSON; is a Quern server there?`);
  return text;
}

export async function postTo(url: string, path: string, post: Post): Promise<unknown> {
  return JSON.parse(await postText(url, path, post));
}

function baseUrl(url: string): URL {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new QuernError("CONFIG_INVALID", `--url ${url} is no web address; give one such as http://127.0.0.1:8080.`);
  }
  return new URL(url);
}
