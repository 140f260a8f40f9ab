// Asks a server at a fixed rate from a process of its own, as an honest client does, and prints how long the answers took since it last did: one JSON
// line for each line of its input. A request is sent when it is due, also while earlier ones wait: a stall counts for every request that it delays.

import { Agent, request } from "node:http";
import { createInterface } from "node:readline";

const everyMs = 50;
const giveUpMs = 60_000;
const [url = "", byKey = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

export interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly failures: number;
}

export interface Probed {
  readonly health: Latencies;
  readonly key: Latencies;
}

class Series {
  #tookMs: number[] = [];
  #failures = 0;
  readonly #pending = new Set<Promise<void>>();

  ask(send: () => Promise<boolean>): void {
    const begin = performance.now();
    const ended = send().then((ok) => {
      this.#tookMs.push(performance.now() - begin);
      if (!ok) this.#failures++;
      this.#pending.delete(ended);
    });
    this.#pending.add(ended);
  }

  /** Of what is asked until now and no earlier call has reported. */
  async latencies(): Promise<Latencies> {
    await Promise.all(this.#pending);
    const sorted = this.#tookMs.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    const latencies = { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), failures: this.#failures };
    this.#tookMs = [];
    this.#failures = 0;
    return latencies;
  }
}

function answered(path: string, body?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const method = body === undefined ? "GET" : "POST";
    const headers = { "content-type": "application/json" };
    const sent = request(`${url}${path}`, { agent, method, headers, timeout: giveUpMs }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve(isRight(response.statusCode, text)));
      response.on("error", (error) => resolve(failed(error.message)));
    });
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${giveUpMs} ms`)));
    // The server may close a connection that has waited for long, at the moment in which the agent uses it again.
    sent.on("error", (error) =>
      resolve(sent.reusedSocket && "code" in error && error.code === "ECONNRESET" ? answered(path, body) : failed(error.message)),
    );
    sent.end(body);
  });
}

function isRight(status: number | undefined, text: string): boolean {
  return (status === 200 && !text.includes('"errors"')) || failed(`${status} ${text.slice(0, 300)}`);
}

function failed(why: string): false {
  console.error(`a request of the honest client failed: ${why}`);
  return false;
}

const health = new Series();
const key = new Series();
setInterval(() => {
  health.ask(() => answered("/health"));
  key.ask(() => answered("/graphql", byKey));
}, everyMs);
for await (const _line of createInterface({ input: process.stdin })) {
  const probed: Probed = { health: await health.latencies(), key: await key.latencies() };
  console.log(JSON.stringify(probed));
}
process.exit(0);
