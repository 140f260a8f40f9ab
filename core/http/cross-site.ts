// Requests that a page of another site made a browser send.

import type { HttpRequest } from "../contracts/transport.ts";

/** Only browsers send the header, and no page can change it. */
export function isCrossSite(request: Pick<HttpRequest, "headers">): boolean {
  return request.headers["sec-fetch-site"] === "cross-site";
}
