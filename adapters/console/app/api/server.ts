// The server as the console knows it: its public and administrative HTTP paths.

import { at, isObject, type Json, type JsonObject, objectsIn, parseJson, textOf, writeJson } from "./json.ts";

/** As whom data are read and written. */
export type Identity =
  | { readonly kind: "administrator" }
  /** A client that sends these headers. */
  | { readonly kind: "client"; readonly headers: Readonly<Record<string, string>>; readonly acting?: Acting };

/** The administrator acts as a user, in a session that ends by itself. */
export interface Acting {
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Other pages of this browser act, too. */
  readonly inBrowser: boolean;
}

export const administrator: Identity = { kind: "administrator" };

export interface ServerError {
  readonly message: string;
  readonly code: string | undefined;
  readonly hint: string | undefined;
  /** The same request may succeed later. */
  readonly isRetryable: boolean;
  readonly locations: readonly { readonly line: number; readonly column: number }[];
  readonly path: readonly string[];
  /** The place in the arguments that is at fault: `["input", "0", "price"]`. Empty: no single one. */
  readonly input: readonly string[];
}

export class RequestFailed extends Error {
  readonly errors: readonly ServerError[];

  constructor(errors: readonly ServerError[]) {
    super(errors.map(({ message, hint }) => (hint === undefined ? message : `${message}\n${hint}`)).join("\n"));
    this.errors = errors;
  }
}

/** The server does not accept the admin token. */
class TokenRefused extends RequestFailed {}

export interface Answer {
  readonly data: JsonObject;
  readonly errors: readonly ServerError[];
  readonly extensions: JsonObject;
}

export interface Ask {
  readonly query: string;
  readonly variables?: JsonObject;
  readonly as?: Identity;
  readonly plan?: boolean;
  readonly operationName?: string;
  readonly signal?: AbortSignal;
}

/** A file that waits for a node to take it. */
export interface UploadedFile {
  /** The ticket by which a mutation takes it, once. */
  readonly upload: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

export interface Following {
  readonly onEvent: (data: Json) => void;
  readonly signal: AbortSignal;
}

export interface ServerOptions {
  /** Called whenever the server does not accept the token. */
  readonly onRefused?: () => void;
  readonly base?: string;
}

export class Server {
  readonly #token: string;
  readonly #onRefused: (() => void) | undefined;
  /** Where the server's paths begin: the page is at `console` below it. */
  readonly base: string;

  constructor(token: string, { onRefused, base = new URL(".", window.location.href).href }: ServerOptions = {}) {
    this.#token = token;
    this.#onRefused = onRefused;
    this.base = base;
  }

  /** The answer with its errors. Rejects when the server cannot be reached, or refuses the token. */
  async ask({ query, variables = {}, as = administrator, plan = false, operationName, signal }: Ask): Promise<Answer> {
    const path = as.kind === "administrator" ? "admin/graphql" : "graphql";
    const headers = as.kind === "administrator" ? this.#adminHeaders() : as.headers;
    const body = { query, variables, ...(operationName !== undefined && { operationName }), ...(plan && { extensions: { plan } }) };
    return this.#post(path, { ...headers, "content-type": "application/json" }, writeJson(body), signal);
  }

  /** Asks a path of plugins as a client, without the cookies of this browser unless `credentials` says so. Rejects when it refuses. */
  async post(path: string, headers: Readonly<Record<string, string>>, credentials: RequestCredentials = "omit"): Promise<void> {
    const response = await this.#fetch(path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
      credentials,
    });
    if (!response.ok)
      throw new RequestFailed([errorOf(`The server answered with HTTP ${response.status}: ${(await response.text()).slice(0, 300)}`)]);
  }

  /** What a client with these headers would get, with the plan and the rules that restrict it. */
  async explain({ query, variables = {} }: Pick<Ask, "query" | "variables">, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const body = { query, variables, extensions: { plan: true, as: { headers } } };
    return this.#post("admin/graphql", { ...this.#adminHeaders(), "content-type": "application/json" }, writeJson(body));
  }

  /** The data of an answer without errors. */
  async data(ask: Ask): Promise<JsonObject> {
    const { data, errors } = await this.ask(ask);
    if (errors.length > 0) throw new RequestFailed(errors);
    return data;
  }

  /** Sends the bytes of a file. Rejects with the reason of a refusal. */
  async upload(file: File, as: Identity): Promise<UploadedFile> {
    const [path, sender] = as.kind === "client" ? ["files", as.headers] : ["files/admin", this.#adminHeaders()];
    const headers = { ...sender, "content-type": file.type || "application/octet-stream" };
    const response = await this.#fetch(`${path}?name=${encodeURIComponent(file.name)}`, { method: "POST", headers, body: file });
    const text = await response.text();
    if (!text.startsWith("{")) throw unreadable(response, text);
    const value = parseJson(text);
    this.#settled(value);
    return {
      upload: textOf(at(value, "upload")),
      name: textOf(at(value, "name")),
      type: textOf(at(value, "type")),
      bytes: Number(at(value, "bytes")),
    };
  }

  async admin(query: string, variables: JsonObject = {}): Promise<JsonObject> {
    const headers = { ...this.#adminHeaders(), "content-type": "application/json" };
    const { data, errors } = await this.#post("admin", headers, writeJson({ query, variables }));
    if (errors.length > 0) throw new RequestFailed(errors);
    return data;
  }

  /** What a deploy of `schema` would change. */
  async compare(schema: string): Promise<JsonObject> {
    const { data, errors } = await this.#post("admin/schema?dryRun=true&details=true", this.#adminHeaders(), schema);
    if (errors.length > 0) throw new RequestFailed(errors);
    return data;
  }

  /** Deploys `schema`, and calls `onStep` with each step of the build. */
  async deploy(schema: string, onStep: (step: JsonObject) => void): Promise<JsonObject> {
    const response = await this.#fetch("admin/schema?details=true&progress=true", { method: "POST", headers: this.#adminHeaders(), body: schema });
    let last: Json = null;
    for await (const line of linesOf(response)) {
      const value = parseJson(line);
      const step = at(value, "step");
      if (isObject(step)) onStep(step);
      else last = value;
    }
    return this.#settled(last).data;
  }

  /** The text at an administrative path; undefined: there is none. */
  async adminText(path: string): Promise<string | undefined> {
    const response = await this.#fetch(path, { headers: this.#adminHeaders() });
    return response.ok ? response.text() : undefined;
  }

  async adminJson(path: string): Promise<Json> {
    const response = await this.#fetch(path, { headers: this.#adminHeaders() });
    const value = parseJson(await response.text());
    this.#settled(value);
    return value;
  }

  /** Calls `onEvent` with the data of each event of a stream, until `signal` ends it. Rejects when the stream ends before. */
  async events(ask: Ask | { readonly path: string }, { onEvent, signal }: Following): Promise<void> {
    const response = await this.#fetch(...this.#streamOf(ask, signal));
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      this.#settled(parseJson(await response.text()));
      throw new RequestFailed([errorOf(`The server answered with HTTP ${response.status}.`)]);
    }
    for await (const line of linesOf(response)) if (line.startsWith("data: {")) onEvent(parseJson(line.slice("data: ".length)));
  }

  #streamOf(ask: Ask | { readonly path: string }, signal: AbortSignal): [string, RequestInit] {
    const accept = "text/event-stream";
    if ("path" in ask) return [ask.path, { headers: { ...this.#adminHeaders(), accept }, signal }];
    const headers = { ...(ask.as?.kind === "client" ? ask.as.headers : {}), accept, "content-type": "application/json" };
    return ["graphql", { method: "POST", headers, body: writeJson({ query: ask.query, variables: ask.variables ?? {} }), signal }];
  }

  #answer(value: Json): Answer {
    try {
      return answerOf(value);
    } catch (thrown) {
      if (thrown instanceof TokenRefused) this.#onRefused?.();
      throw thrown;
    }
  }

  /** An answer without errors. */
  #settled(value: Json): Answer {
    const answer = this.#answer(value);
    if (answer.errors.length > 0) throw new RequestFailed(answer.errors);
    return answer;
  }

  #adminHeaders(): Readonly<Record<string, string>> {
    return this.#token === "" ? {} : { "x-service-authtoken": this.#token };
  }

  async #post(path: string, headers: Readonly<Record<string, string>>, body: string, signal?: AbortSignal): Promise<Answer> {
    const response = await this.#fetch(path, { method: "POST", headers, body, ...(signal && { signal }) });
    const text = await response.text();
    try {
      return this.#answer(parseJson(text));
    } catch (thrown) {
      if (thrown instanceof RequestFailed) throw thrown;
      throw unreadable(response, text);
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(new URL(path, this.base), { credentials: "same-origin", cache: "no-store", ...init });
    } catch (thrown) {
      if (init.signal?.aborted) throw thrown;
      throw new RequestFailed([errorOf("The server cannot be reached. Is it running?")]);
    }
  }
}

function unreadable({ status }: Response, text: string): RequestFailed {
  return new RequestFailed([errorOf(`The server answered with HTTP ${status}: ${text.slice(0, 300)}`)]);
}

export function errorOf(message: string): ServerError {
  return { message, code: undefined, hint: undefined, isRetryable: false, locations: [], path: [], input: [] };
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Throws `TokenRefused` when the admin token is not accepted. */
export function answerOf(value: Json): Answer {
  const errors = errorsIn(value);
  if (errors.some(({ code, message }) => code === "ErrorUnauthorized" && /auth ?token/i.test(message))) throw new TokenRefused(errors);
  const data = at(value, "data");
  const extensions = at(value, "extensions");
  return { data: isObject(data) ? data : {}, errors, extensions: isObject(extensions) ? extensions : {} };
}

function errorsIn(value: Json): readonly ServerError[] {
  return objectsIn(at(value, "errors")).map((error) => {
    const code = at(error, "extensions", "code");
    const hint = at(error, "extensions", "hint");
    const input = at(error, "extensions", "input");
    return {
      message: textOf(error.message),
      code: typeof code === "string" ? code : undefined,
      hint: typeof hint === "string" ? hint : undefined,
      isRetryable: at(error, "extensions", "retryable") === true,
      locations: objectsIn(error.locations).map(({ line, column }) => ({ line: Number(line), column: Number(column) })),
      path: Array.isArray(error.path) ? error.path.map(String) : [],
      input: Array.isArray(input) ? input.map(String) : [],
    };
  });
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  let unread = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (unread + piece).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
  }
  if (unread !== "") yield unread;
}
