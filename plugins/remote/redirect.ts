// Which request follows a redirect.

import { RemoteFailure } from "./remote-failure.ts";
import type { RemoteRequest } from "./remote-request.ts";

/** The next request; undefined: the reply is no redirect. @throws RemoteFailure for an address that is none */
export function nextRequest(request: RemoteRequest, status: number, location: string | string[] | undefined): RemoteRequest | undefined {
  if (typeof location !== "string" || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const url = resolved(location, request.url);
  const headers = url.origin === new URL(request.url).origin ? request.headers : withoutSecrets(request.headers);
  if (status === 307 || status === 308) return { ...request, url: url.href, headers };
  const { "content-type": _type, ...plain } = headers;
  return { method: "GET", url: url.href, headers: plain, body: undefined };
}

function resolved(location: string, from: string): URL {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw new RemoteFailure("a redirect leads to no HTTP address");
  return url;
}

/** Another origin gets no header of the client, and no secret. */
function withoutSecrets({ "content-type": type }: RemoteRequest["headers"]): RemoteRequest["headers"] {
  return type === undefined ? {} : { "content-type": type };
}
