// The kernel where a `Request` comes in and a `Response` goes out, and a toolkit for transports between the Fetch API and plain data.

export { answerRequest, type RequestHead } from "./answer-request.ts";
export { type FetchHandler, type FetchHandlerOptions, fetchHandler } from "./fetch-handler.ts";
export { plainHeaders } from "./plain-headers.ts";
export { type HoldOptions, readableBody, readablePieces, readableSource } from "./readable-body.ts";
