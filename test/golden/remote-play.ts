// Plays recorded cases that involve remote services: compares the answers, and what the services received.

import { setTimeout as sleep } from "node:timers/promises";
import { parseJson } from "../../core/ground/json/parse-json.ts";
import { writeJson } from "../../core/ground/json/write-json.ts";
import { type Answering, Play, type Step } from "./answers.ts";
import { isObject, print } from "./compare.ts";
import type { ReceivedRequest, RemoteService, Route } from "./remote-service.ts";

/** A file of such cases. */
export interface RemoteFile {
  readonly name: string;
  readonly schema?: string;
  readonly stub?: readonly Route[];
  readonly seeHeaders?: readonly string[];
  readonly ordered?: boolean;
  readonly setup?: readonly RemoteStep[];
  readonly cases: readonly RemoteStep[];
}

export interface RemoteStep extends Step {
  /** Tried before those of the file. */
  readonly stub?: readonly Route[];
  readonly seeHeaders?: readonly string[];
  readonly received?: readonly ReceivedRequest[];
  /** Wins over `received`. */
  readonly expectReceived?: readonly ReceivedRequest[];
  /** Only the number of errors counts, not their paths. */
  readonly paths?: "free";
  readonly calls?: "free" | "no headers";
  /** Milliseconds to wait for requests that come after the answer. */
  readonly linger?: number;
  /** Milliseconds to wait before. */
  readonly wait?: number;
  /** Takes a minute and more. */
  readonly slow?: boolean;
}

/** Where the recorded schemas look for remote services. */
const recordedService = "127.0.0.1:8392";

export class RemotePlay {
  readonly #file: RemoteFile;
  readonly #service: RemoteService;
  readonly #play: Play;

  /** @param service as the kernel knows it already, if a plugin needs its address */
  constructor(file: RemoteFile, service: RemoteService, kernel: Answering) {
    this.#file = atService(file, service);
    this.#service = service;
    this.#play = new Play(kernel);
  }

  async setUp(): Promise<readonly string[]> {
    const { schema, stub = [], setup = [] } = this.#file;
    const failed: string[] = [];
    this.#service.play(stub);
    if (schema !== undefined) failed.push(...(await this.#play.deploy(schema)));
    for (const step of setup) {
      this.#service.play([...(step.stub ?? []), ...stub]);
      failed.push(...(await this.#play.run(step)));
    }
    return failed;
  }

  /** @param schema as it was recorded. @returns what went wrong */
  async deploy(schema: string): Promise<readonly string[]> {
    return await this.#play.deploy(withService(schema, this.#service));
  }

  /** @param index of the case in the file */
  async run(index: number): Promise<readonly string[]> {
    const { stub = [], seeHeaders = [], ordered, cases } = this.#file;
    const step = cases[index];
    if (!step) return [`there is no case ${index}`];
    if (step.wait) await sleep(step.wait);
    this.#service.play([...(step.stub ?? []), ...stub], step.seeHeaders ?? seeHeaders);
    const isOrdered = step.ordered ?? ordered ?? /order\s*:/.test(step.query ?? "");
    const differences = await this.#play.run({ ...step, ordered: isOrdered, freePaths: step.paths === "free" });
    if (step.linger) await this.#linger(step.linger, (step.expectReceived ?? step.received ?? []).length);
    return [...differences, ...this.#compareReceived(step, isOrdered)];
  }

  /** Requests after the answer may take longer on a slow database. One that is not expected would come within the time of the recording. */
  async #linger(ms: number, wanted: number): Promise<void> {
    await sleep(ms);
    for (let waited = 0; waited < 5_000 && this.#service.received.length < wanted; waited += 50) await sleep(50);
  }

  #compareReceived(step: RemoteStep, ordered: boolean): readonly string[] {
    if (step.calls === "free") return [];
    const shown = (list: readonly ReceivedRequest[]) =>
      list.map((each) => comparable(step.calls === "no headers" ? { ...each, headers: {} } : each, ordered)).sort();
    const found = shown(this.#service.received);
    const wanted = shown(step.expectReceived ?? step.received ?? []);
    if (print(found) === print(wanted)) return [];
    return [`received: expected ${wanted.join(" | ") || "nothing"}, found ${found.join(" | ") || "nothing"}`];
  }
}

/** The recorded texts with the address at which this run serves. */
function atService(file: RemoteFile, service: RemoteService): RemoteFile {
  return parseJson(withService(writeJson(file), service)) as RemoteFile;
}

function withService(text: string, { port }: RemoteService): string {
  return text.replaceAll(recordedService, `127.0.0.1:${port}`);
}

/** One request in the form in which it is compared: without percent encoding, the order of query parameters, ids and time stamps. */
function comparable(request: ReceivedRequest, ordered: boolean): string {
  // As recorded: an id in an address is cut off at the question mark that stands for its digits.
  const [path = "", query = ""] = request.url.replaceAll(/0x[0-9a-f]+/g, "0x?").split("?");
  const parameters = query.split("&").filter((each) => each !== "");
  const named = parameters.map((each) => each.split("=").map((part) => decoded(part.replaceAll("+", " "))));
  const sorted = named.sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0));
  return print(canonical({ ...request, url: [path.split("/").map(decoded), sorted] }, ordered, "url"));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function canonical(value: unknown, ordered: boolean, kept?: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((each) => canonical(each, ordered));
    return ordered ? items : items.sort((a, b) => (print(a) < print(b) ? -1 : 1));
  }
  if (!isObject(value)) return plain(value);
  if (typeof value["@int"] === "string") return `${value["@int"]}n`;
  const members = Object.keys(value).sort();
  return Object.fromEntries(
    members.map((key) => {
      if (key === "commitTs") return [key, "@ts"];
      return [key, canonical(value[key], ordered || key === kept)];
    }),
  );
}

/** Ids stand for any id; inside texts too. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "string") return value;
  return /^(?:0x[0-9a-f]+|@\d+)$/.test(value) ? "@id" : value.replaceAll(/0x[0-9a-f]+/g, "0x?");
}
