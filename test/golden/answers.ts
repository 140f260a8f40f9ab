// Plays the steps of one recorded file against a kernel, and says how each answer differs from the recorded one.

import { parseJson } from "../../core/ground/json/parse-json.ts";
import { writeJson } from "../../core/ground/json/write-json.ts";
import type { HttpRequest, HttpResponse, MaybePromise } from "../../core/plugin.ts";
import { type AnswerError, compareData, compareErrors, isObject, print } from "./compare.ts";
import { compareSdl } from "./compare-sdl.ts";

/** A file of recorded answers. */
export interface AnswerFile {
  readonly name: string;
  readonly schema?: string;
  readonly setup: readonly Step[];
  readonly cases: readonly Step[];
}

export interface Step {
  readonly name: string;
  readonly path?: string;
  readonly method?: string;
  readonly query?: string;
  readonly variables?: unknown;
  readonly operationName?: unknown;
  readonly raw?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capture?: Readonly<Record<string, string>>;
  readonly minus?: Readonly<Record<string, string>>;
  /** Milliseconds after which the answer was recorded: the work that it reports takes time. */
  readonly wait?: number;
  readonly skip?: string;
  readonly ordered?: boolean;
  /** Errors are compared by number alone. */
  readonly freePaths?: boolean;
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly expect?: Readonly<Record<string, unknown>>;
}

/** Anything that answers HTTP requests: a kernel. */
export interface Answering {
  http(request: HttpRequest): MaybePromise<HttpResponse>;
}

/** A right answer ends the wait at once. */
const patience = 20;

export class Play {
  readonly #server: Answering;
  readonly #captured = new Map<string, unknown>();

  /** @param known values for names that no step captures */
  constructor(server: Answering, known: Readonly<Record<string, unknown>> = {}) {
    this.#server = server;
    for (const [name, value] of Object.entries(known)) this.#captured.set(name, value);
  }

  async deploy(schema: string): Promise<readonly string[]> {
    return this.run({ name: "schema", path: "/admin/schema", raw: schema, answer: { status: 200, data: { code: "Success", message: "Done" } } });
  }

  /**
   * Sends a step and remembers what it captures. A step without a recorded answer only has to succeed. A question that was recorded after some time
   * is asked again until it has the recorded answer: for many times as long, because other specs share the machine.
   */
  async run(step: Step): Promise<readonly string[]> {
    const wait = step.query?.startsWith("{") === true ? (step.wait ?? 0) : 0;
    const until = performance.now() + (step.skip === undefined ? patience * wait : wait);
    for (;;) {
      const differences = await this.#runOnce(step);
      if (differences.length === 0 || performance.now() >= until) return differences;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #runOnce(step: Step): Promise<readonly string[]> {
    const response = await this.#server.http(requestOf(this.#filled(step)));
    const found = { status: response.status, ...bodyOf(response) };
    for (const [name, path] of Object.entries(step.capture ?? {})) this.#captured.set(name, atPath(found.body, path));
    return this.#compare(found, step);
  }

  #compare(found: FoundAnswer, step: Step): readonly string[] {
    const wanted = step.expect ?? step.answer;
    if (isSdl(step)) return compareSdl(String(atPath(found.body, sdlPath)), String(atPath(step.answer, sdlPath)));
    if (wanted === undefined) return isObject(found.body) && found.body.errors === undefined ? [] : [`${step.name} fails: ${found.text}`];
    if (isPanic(wanted)) return isRefused(found.body) ? [] : [`expected a refusal, found ${found.text}`];
    const answer = this.#subtracted(found, step);
    return step.freePaths
      ? compareAnswer({ ...answer, body: withoutPaths(answer.body) }, asBody(withoutPaths(wanted)), step.ordered ?? true)
      : compareAnswer(answer, wanted, step.ordered ?? true);
  }

  #subtracted(found: FoundAnswer, step: Step): FoundAnswer {
    if (step.minus === undefined || !isObject(found.body)) return found;
    const body: Record<string, unknown> = { ...found.body };
    for (const [member, name] of Object.entries(step.minus)) body[member] = Number(body[member]) - Number(this.#captured.get(name) ?? body[member]);
    return { ...found, body };
  }

  /** The step with captured values in the places of their names. */
  #filled(step: Step): Step {
    const fill = (value: unknown): unknown => {
      if (typeof value === "string")
        return value.replaceAll(/\{(\w+)\}/g, (whole, name) => (this.#captured.has(name) ? textOf(this.#captured.get(name)) : whole));
      if (Array.isArray(value)) return value.map(fill);
      return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member)])) : value;
    };
    const { answer: _answer, expect: _expect, ...sent } = step;
    return fill(sent) as Step;
  }
}

/** A captured list stands for itself, as JSON; what an answer did not have for nothing. */
function textOf(captured: unknown): string {
  if (captured === undefined) return "";
  return Array.isArray(captured) ? JSON.stringify(captured) : String(captured);
}

function withoutPaths(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body.errors)) return body;
  return { ...body, errors: body.errors.map((error: AnswerError) => ({ message: error.message })) };
}

function asBody(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** The recorded server failed at the request: any refusal will do. */
function isPanic(wanted: Readonly<Record<string, unknown>>): boolean {
  const [error] = Array.isArray(wanted.errors) ? wanted.errors : [];
  return isObject(error) && typeof error.message === "string" && error.message.includes("a panic was trapped");
}

function isRefused(body: unknown): boolean {
  return isObject(body) && Array.isArray(body.errors) && body.errors.length > 0 && (body.data ?? null) === null;
}

const sdlPath = "data._service.sdl";

/** Whether the step is recorded as the text of a subgraph, which is compared by its meaning. */
export function isSdl(step: Step): boolean {
  return typeof atPath(step.answer, sdlPath) === "string";
}

function requestOf(step: Step): HttpRequest {
  const { method = "POST", path = "/graphql", contentType = "application/json", headers = {} } = step;
  const { query, variables, operationName } = step;
  const text = step.raw ?? (method === "GET" ? "" : writeJson({ query, variables, operationName }));
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  // As a process of this machine sends it: the recorded server was open to all, ours is open to loopback.
  const sent = { host: "localhost", "content-type": contentType, ...Object.fromEntries(named) };
  return { method, url: path, headers: sent, body: Buffer.from(text), remoteAddress: "127.0.0.1" };
}

export interface FoundAnswer {
  readonly status: number;
  /** Undefined when the body is no JSON. */
  readonly body: unknown;
  readonly text: string;
}

function bodyOf(response: HttpResponse): Omit<FoundAnswer, "status"> {
  const text = typeof response.body === "string" ? response.body : Buffer.from(response.body).toString("utf8");
  try {
    // Nodes that no request has named are named at random.
    return { body: parseJson(text.replaceAll(/"dg\.\d+\.(\d+)"/g, '"dg.$1"')), text };
  } catch {
    return { body: undefined, text };
  }
}

/** How an answer differs from the recorded one. */
export function compareAnswer(found: FoundAnswer, wanted: Readonly<Record<string, unknown>>, ordered: boolean): readonly string[] {
  if (typeof wanted.status !== "number") return compareData(found.body, wanted, { ordered: true });
  const status = found.status === wanted.status ? [] : [`status: expected ${wanted.status}, found ${found.status}`];
  if (typeof wanted.text === "string")
    return [...status, ...(found.text === wanted.text ? [] : [`text: expected ${print(wanted.text)}, found ${print(found.text)}`])];
  if (!isObject(found.body)) return [...status, `body: expected JSON, found ${print(found.text)}`];
  return [...status, ...compareBody(found.body, wanted, ordered)];
}

type Body = Readonly<Record<string, unknown>>;

export function compareBody(found: Body, wanted: Body, ordered: boolean): readonly string[] {
  const [foundErrors, wantedErrors] = [errorsOf(found), errorsOf(wanted)];
  if (!("data" in wanted)) return wantedErrors.length > 0 ? compareRefusal(found, foundErrors, wantedErrors) : [];
  const errors = compareErrors(foundErrors, wantedErrors);
  if (!("data" in found)) return [`data: expected ${print(wanted.data)}, not found: ${print(found)}`];
  return [...errors, ...compareData(found.data, wanted.data, { ordered })];
}

/** Refused as a whole: texts, number and places of the errors are free; codes of the administration are not. */
function compareRefusal(found: Body, foundErrors: readonly AnswerError[], wantedErrors: readonly AnswerError[]): readonly string[] {
  if (isRefusedField(found, wantedErrors)) return compareErrors(foundErrors, wantedErrors);
  if (foundErrors.length === 0 || "data" in found)
    return [`expected a refusal (${wantedErrors.map((each) => each.message).join(" | ")}), found ${print(found)}`];
  const codes = (errors: readonly AnswerError[]) =>
    print([...new Set(errors.map((each) => ("extensions" in each && isObject(each.extensions) ? each.extensions.code : undefined)))]);
  const admin = codes(wantedErrors) !== codes([{}]);
  return admin && codes(foundErrors) !== codes(wantedErrors) ? [`codes: expected ${codes(wantedErrors)}, found ${codes(foundErrors)}`] : [];
}

/** The recorded server leaves out the key of a root field that its store refused, and `data` without keys. GraphQL wants null there. */
function isRefusedField({ data }: Body, wantedErrors: readonly AnswerError[]): boolean {
  const keys = new Set(wantedErrors.map(({ path }) => (path?.length === 1 ? path[0] : undefined)));
  return isObject(data) && Object.keys(data).length > 0 && Object.entries(data).every(([key, value]) => value === null && keys.has(key));
}

function errorsOf(body: Body): readonly AnswerError[] {
  return Array.isArray(body.errors) ? body.errors : [];
}

/** `data.addAuthor.author.0.id` */
export function atPath(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((inner, key) => (Array.isArray(inner) ? inner[Number(key)] : isObject(inner) ? inner[key] : undefined), value);
}
