// Sends recorded HTTP steps over a socket and compares what comes back: status, headers, body.

import { type IncomingHttpHeaders, request } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import { parseJson } from "../../core/ground/json/parse-json.ts";
import { compareBody } from "./answers.ts";
import { isObject, print } from "./compare.ts";

export interface HttpFile {
  readonly setup: readonly HttpStep[];
  readonly cases: readonly HttpStep[];
}

export interface HttpStep {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent gzipped. */
  readonly gzip?: string;
  readonly base64?: string;
  /** A text and how often it stands in the place of `{REPEAT}`. */
  readonly repeat?: readonly [string, number];
  readonly only?: "status";
  readonly answer?: RecordedResponse;
  readonly expect?: RecordedResponse;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly shape?: unknown;
  readonly extensions?: readonly string[];
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function send(step: HttpStep, url: string): Promise<Received> {
  const body = bytesOf(step);
  return new Promise((resolve, reject) => {
    const headers = { ...step.headers, ...(body.length > 0 ? { "content-length": body.length } : {}) };
    const sent = request(new URL(url), { method: step.method, path: step.path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const text = (response.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function bytesOf(step: HttpStep): Buffer {
  if (step.gzip !== undefined) return gzipSync(step.gzip);
  if (step.base64 !== undefined) return Buffer.from(step.base64, "base64");
  const [text, times] = step.repeat ?? ["", 0];
  return Buffer.from((step.body ?? "").replace("{REPEAT}", () => text.repeat(times)));
}

export function compareResponse(received: Received, step: HttpStep): readonly string[] {
  const wanted = step.expect ?? step.answer;
  if (wanted === undefined) return received.text.includes('"errors"') ? [`fails: ${received.text}`] : [];
  const status = received.status === wanted.status ? [] : [`status: expected ${wanted.status}, found ${received.status}`];
  if (step.only === "status") return status;
  return [...status, ...compareHeaders(received.headers, wanted.headers), ...compareText(received, wanted)];
}

const freeHeaders = new Set(["connection", "x-content-type-options"]);
/** Headers that are there only if the recorded answer has them. */
const meaningful = [
  "access-control-allow-origin",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-allow-credentials",
  "cache-control",
  "content-encoding",
  "content-type",
  "graphql-toucheduids",
  "vary",
];

function compareHeaders(found: IncomingHttpHeaders, wanted: Readonly<Record<string, string>>): readonly string[] {
  const names = new Set([...Object.keys(wanted), ...meaningful.filter((name) => found[name] !== undefined)]);
  return [...names].flatMap((name) => {
    if (freeHeaders.has(name)) return [];
    const [is, should] = [found[name], wanted[name]];
    return sameHeader(name, typeof is === "string" ? is : undefined, should) ? [] : [`header ${name}: expected ${should}, found ${is}`];
  });
}

function sameHeader(name: string, found: string | undefined, wanted: string | undefined): boolean {
  if (found === undefined || wanted === undefined) return found === wanted;
  if (name === "graphql-toucheduids") return /^\d+$/.test(found) && (wanted === "0" || found !== "0");
  if (name !== "access-control-allow-headers") return found === wanted;
  const namesOf = (list: string) => list.split(",").map((each) => each.trim().toLowerCase());
  return namesOf(wanted).every((each) => namesOf(found).includes(each));
}

function compareText(received: Received, wanted: RecordedResponse): readonly string[] {
  if (wanted.text !== undefined) return received.text === wanted.text ? [] : [`text: expected ${print(wanted.text)}, found ${print(received.text)}`];
  if (wanted.body === undefined && wanted.shape === undefined)
    return received.text === "" ? [] : [`body: expected none, found ${print(received.text)}`];
  let found: unknown;
  try {
    found = parseJson(received.text);
  } catch {
    return [`body: expected JSON, found ${print(received.text)}`];
  }
  if (wanted.shape !== undefined) return hasShape(found, wanted.shape) ? [] : [`shape: expected ${print(wanted.shape)}, found ${print(found)}`];
  if (!isObject(found)) return [`body: expected an object, found ${print(found)}`];
  return [...compareBody(found, wanted.body ?? {}, true), ...compareExtensions(found, wanted)];
}

/** More are free; `tracing` is gone; how many were touched depends on the store. */
function compareExtensions(found: Readonly<Record<string, unknown>>, wanted: RecordedResponse): readonly string[] {
  const names = isObject(found.extensions) ? Object.keys(found.extensions) : [];
  return (wanted.extensions ?? [])
    .filter((each) => each !== "tracing" && !names.includes(each))
    .map((each) => `extensions: ${each} is not there, found ${print(names)}`);
}

/** Whether a value is of the recorded kinds: `"string"`, `"number"`, a list of one kind or none, an object with at least these members. */
export function hasShape(value: unknown, shape: unknown): boolean {
  if (Array.isArray(shape)) return Array.isArray(value) && value.every((each) => shape.some((kind) => hasShape(each, kind)));
  if (isObject(shape))
    return (
      isObject(value) &&
      Object.entries(shape).every(
        ([key, kind]) => key === "tracing" || (key === "extensions" && value[key] === undefined) || hasShape(value[key], kind),
      )
    );
  return typeof value === shape || (shape === "number" && typeof value === "bigint");
}
