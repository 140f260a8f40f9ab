// Asks a server at a fixed rate from a process of its own, as an honest client does, and prints how long the answers took: one JSON line
// when its input ends. A request is sent when it is due, also while earlier ones wait: a stall counts for every request that it delays.

import { Agent, request } from "node:http";

const everyMs = 50;
const giveUpMs = 60_000;
const [url = "", name = ""] = process.argv.slice(2);
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
  readonly #tookMs: number[] = [];
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

  async latencies(): Promise<Latencies> {
    await Promise.all(this.#pending);
    const sorted = this.#tookMs.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), failures: this.#failures };
  }
}

function answered(path: string, body?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const method = body === undefined ? "GET" : "POST";
    const headers = { "content-type": "application/json" };
    const sent = request(`${url}${path}`, { agent, method, headers, timeout: giveUpMs }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve(response.statusCode === 200 && !text.includes('"errors"')));
      response.on("error", () => resolve(false));
    });
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => resolve(false));
    sent.end(body);
  });
}

const health = new Series();
const key = new Series();
const byKey = JSON.stringify({ query: "query ($name: String!) { getPackage(name: $name) { name version section } }", variables: { name } });
const timer = setInterval(() => {
  health.ask(() => answered("/health"));
  key.ask(() => answered("/graphql", byKey));
}, everyMs);
process.stdin.resume().on("end", async () => {
  clearInterval(timer);
  const probed: Probed = { health: await health.latencies(), key: await key.latencies() };
  console.log(JSON.stringify(probed));
  process.exit(0);
});
