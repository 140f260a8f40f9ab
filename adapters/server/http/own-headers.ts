// The headers that Quern defines or answers with: CORS lets pages of other origins send the first and read the second.

/** Headers that Quern reads of a request, besides those that every page may send, those that only browsers set, and those that plugins name. */
export const requestHeaders = [
  "X-Service-AccessToken",
  "X-Service-AuthToken",
  "X-Dgraph-AccessToken",
  "X-Dgraph-AuthToken",
  "Content-Type",
  "Content-Length",
  "Content-Encoding",
  "Accept-Encoding",
  "Authorization",
  "Cache-Control",
  "Last-Event-ID",
  "Quern-After",
  "X-CSRF-Token",
  "X-Auth-Token",
  "X-Requested-With",
  "Apollo-Require-Preflight",
  "GraphQL-Require-Preflight",
] as const;

/** Headers of answers that a page may want to read, besides those that every page may. */
export const answerHeaders = ["Allow", "GraphQL-TouchedUids", "Retry-After"] as const;
