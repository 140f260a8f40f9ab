// Plays recorded WebSocket transcripts against a server and compares the frames that come back.

import { WebSocket } from "ws";
import { parseJson } from "../../core/ground/json/parse-json.ts";
import { signed as signedToken } from "../plugins/auth/token.ts";
import { type AnswerError, compareData, compareErrors, isObject, print } from "./compare.ts";

export interface TranscriptFile {
  readonly keys: { readonly secret: string };
  readonly schema: string;
  readonly setup: readonly { readonly query: string }[];
  readonly cases: readonly Transcript[];
}

export interface Transcript {
  readonly name: string;
  /** Why it is not played. */
  readonly skip?: string;
  /** Default: `graphql-ws`. */
  readonly protocols?: readonly string[];
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Others than the first, by name. */
  readonly connections?: Readonly<Record<string, object>>;
  readonly tokens?: Readonly<Record<string, { readonly expIn: number; readonly claims: object }>>;
  readonly steps: readonly Step[];
  readonly frames: readonly Frame[];
  /** Where Quern's frames are others than the recorded ones. */
  readonly expectFrames?: readonly Frame[];
}

export type Step = Readonly<Record<string, unknown>>;
export type Frame = Readonly<Record<string, unknown>>;

export interface Stage {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Signs tokens. */
  readonly secret: string;
}

/** For what must come: the machine may be busy with other things. */
const patienceMs = 10_000;

/** The frames that the server sent, in the order of the steps that waited for them. */
export async function play(transcript: Transcript, stage: Stage): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  const first = new Client(stage, transcript);
  const clients = new Map<unknown, Client>();
  let current = first;
  let mark: Frame = {};
  const told = (found: readonly Frame[]) => void frames.push(...found.map((each) => ({ ...mark, ...each })));
  try {
    told([await first.opened]);
    for (const step of transcript.steps.map((each) => signed(each, transcript, stage.secret))) {
      if (step.on !== undefined) {
        mark = { connection: step.on };
        current = clients.get(step.on) ?? new Client(stage, transcript);
        if (!clients.has(step.on)) told([await current.opened]);
        clients.set(step.on, current);
      } else if (isObject(step.http)) await request(step.http, stage);
      else told(await current.run(step));
    }
    return frames;
  } finally {
    for (const each of [first, ...clients.values()]) each.end();
  }
}

/** What differs, each as a line; empty when the server said what is expected. */
export function compareFrames(found: readonly Frame[], { frames, expectFrames }: Transcript): readonly string[] {
  const wanted = (expectFrames ?? frames).filter((each) => !("client" in each) && !("http" in each));
  if (found.length !== wanted.length) return [`expected ${wanted.length} frames ${print(wanted)}, found ${found.length}: ${print(found)}`];
  return wanted.flatMap((each, i) => compareFrame(found[i] ?? {}, each).map((difference) => `frame ${i}: ${difference}`));
}

function compareFrame(found: Frame, { afterMs: _free, server, ...wanted }: Frame): readonly string[] {
  const { server: foundServer, ...rest } = found;
  const others = JSON.stringify(rest) === JSON.stringify(wanted) ? [] : [`expected ${print(wanted)}, found ${print(found)}`];
  if (!isObject(server)) return others;
  if (!isObject(foundServer)) return [`expected ${print(server)}, found ${print(found)}`];
  return [...others, ...compareMessage(foundServer, server)];
}

/** A recorded message without a payload leaves it free. */
function compareMessage(found: Frame, wanted: Frame): readonly string[] {
  const heads = ["type", "id"].filter((name) => found[name] !== wanted[name]);
  if (heads.length > 0) return [`expected ${print(wanted)}, found ${print(found)}`];
  const { payload } = wanted;
  if (!isObject(payload)) return [];
  if (!isObject(found.payload)) return [`expected a payload, found ${print(found)}`];
  if (wanted.type !== "data")
    return sameText(found.payload.message, payload.message) ? [] : [`expected ${print(payload)}, found ${print(found.payload)}`];
  return [
    ...compareData(found.payload.data, payload.data, { ordered: true }),
    ...compareErrors((found.payload.errors ?? []) as readonly AnswerError[], (payload.errors ?? []) as readonly AnswerError[]),
  ];
}

/** What is wrong with a document is said in other words, but in the same place; `refused` stands for any words. */
function sameText(found: unknown, wanted: unknown): boolean {
  if (typeof found !== "string" || typeof wanted !== "string") return found === wanted;
  const place = /^input:(?:\d+:)? /;
  return found === wanted || (wanted === "refused" && found !== "") || (place.test(wanted) && place.test(found));
}

class Client {
  readonly opened: Promise<Frame>;
  readonly #socket: WebSocket;
  readonly #came: Frame[] = [];
  #look = () => {};

  constructor({ url }: Stage, { protocols = ["graphql-ws"], path = "/graphql", headers = {} }: Transcript) {
    this.#socket = new WebSocket(url.replace("http", "ws") + path, [...protocols], { headers: { ...headers } });
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once("open", () => resolve({ opened: { protocol: this.#socket.protocol } }));
      this.#socket.once("unexpected-response", (_request, { statusCode }) => resolve({ refused: { status: statusCode } }));
      this.#socket.once("error", reject);
    });
    this.#socket.on("message", (data) => {
      const server = parseJson(String(data)) as Frame;
      if (server.type !== "ka" || this.#asked) this.#take({ server });
      if (server.type === "ka") this.#asked = false;
    });
    this.#socket.on("pong", () => this.#take({ pong: true }));
    this.#socket.on("close", (code, reason) => this.#take({ closed: { code, reason: String(reason) } }));
  }

  /** A `ka` was sent, so one in answer counts. */
  #asked = false;

  async run(step: Step): Promise<readonly Frame[]> {
    if (isObject(step.send)) {
      this.#asked ||= step.send.type === "ka";
      this.#socket.send(JSON.stringify(step.send));
    } else if (typeof step.text === "string") this.#socket.send(step.text);
    else if (step.ping) this.#socket.ping();
    else if (typeof step.receive === "number") return this.#receive(step.receive, Math.max(Number(step.within ?? 0), patienceMs));
    else if (typeof step.silence === "number") return (await this.#passed(step.silence)) ?? [{ silence: step.silence }];
    else if (typeof step.closed === "number") {
      await this.#until(() => this.#came.some((each) => "closed" in each), Math.max(step.closed, patienceMs));
      const came = this.#came.splice(0);
      return came.some((each) => "closed" in each) ? came : [...came, { stillOpen: true }];
    } else if (typeof step.pause === "number") await this.#passed(step.pause);
    else throw new Error(`A step of an unknown kind: ${print(step)}`);
    return [];
  }

  end(): void {
    this.#socket.terminate();
  }

  async #receive(count: number, withinMs: number): Promise<readonly Frame[]> {
    await this.#until(() => this.#came.length >= count, withinMs);
    return this.#came.splice(0, count);
  }

  /** What came meanwhile. */
  async #passed(ms: number): Promise<readonly Frame[] | undefined> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return this.#came.length > 0 ? this.#came.splice(0) : undefined;
  }

  #until(reached: () => boolean, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, withinMs);
      this.#look = () => {
        if (!reached()) return;
        clearTimeout(late);
        resolve();
      };
      this.#look();
    });
  }

  #take(frame: Frame): void {
    this.#came.push(frame);
    this.#look();
  }
}

async function request(http: Step, { url }: Stage): Promise<void> {
  const json = { "content-type": "application/json" };
  const init = typeof http.raw === "string" ? { body: http.raw } : { headers: json, body: JSON.stringify({ query: http.query }) };
  const response = await fetch(url + (http.path ?? "/graphql"), { method: "POST", ...init });
  const text = await response.text();
  if (text.includes('"errors"')) throw new Error(text);
}

/** With a fresh token for each `{jwt:NAME}`. */
function signed(step: Step, { tokens = {} }: Transcript, secret: string): Step {
  const text = JSON.stringify(step).replaceAll(/\{jwt:(\w+)\}/g, (_all, name: string) => {
    const token = tokens[name];
    if (token === undefined) throw new Error(`No token ${name} is told.`);
    return signedToken({ alg: "HS256", typ: "JWT" }, { ...token.claims, exp: Math.floor(Date.now() / 1_000) + token.expIn }, secret);
  });
  return JSON.parse(text);
}
