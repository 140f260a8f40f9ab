// One call as a request to the HTTP surface, so that the same checks, limits and rights hold for both.

import type { HttpResponse } from "../../../core/transport.ts";

export interface Asked {
  /** Path and query. */
  readonly url: string;
  /** Undefined: `GET`. */
  readonly body?: string;
  readonly type?: "application/json" | "application/rdf";
}

/** Sends a request for the caller of a call. */
export type Ask = (asked: Asked) => Promise<HttpResponse>;
