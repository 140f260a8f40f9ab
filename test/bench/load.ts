// Puts load on a server: by wrk where there is one, else by autocannon, which takes more of the machine for itself.

import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import autocannon from "autocannon";

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Sent in turn. `[<id>]` in a body is replaced by something new each time. */
  readonly bodies: readonly string[];
  /** Beside the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For files of the generator. */
  readonly folder: string;
}

export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers with another status than 200, and broken connections. */
  readonly failures: number;
}

export const generator: "wrk" | "autocannon" = spawnSync("wrk", ["-v"]).error === undefined ? "wrk" : "autocannon";

export async function load(options: Load): Promise<Figures> {
  return generator === "wrk" ? await byWrk(options) : await byAutocannon(options);
}

/** One thread of wrk keeps both cores of a small machine fair: one for the server, one for the load. */
async function byWrk({ url, connections, seconds, bodies, folder, headers = {} }: Load): Promise<Figures> {
  // Two loads may run at the same time.
  const own = mkdtempSync(join(folder, "load-"));
  const bodiesFile = join(own, "bodies.txt");
  const script = join(own, "load.lua");
  writeFileSync(bodiesFile, `${bodies.join("\n")}\n`);
  writeFileSync(script, wrkScript({ bodiesFile, headers, replaces: bodies.some((body) => body.includes("[<id>]")) }));
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script, url];
  const { stdout } = await promisify(execFile)("wrk", args, { maxBuffer: 2 ** 20 });
  const [, result] = /^RESULT (.*)$/m.exec(stdout) ?? [];
  if (result === undefined) throw new Error(`wrk gave no result:\n${stdout}`);
  return JSON.parse(result);
}

interface WrkScript {
  readonly bodiesFile: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly replaces: boolean;
}

function wrkScript({ bodiesFile, headers, replaces }: WrkScript): string {
  const replaced = replaces ? `body = body:gsub("%[<id>%]", mark .. "-" .. count)` : "";
  return `
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
  .join("\n")}
local requests, count, mark = {}, 0, "${Date.now().toString(36)}"
for line in io.lines(${JSON.stringify(bodiesFile)}) do requests[#requests + 1] = line end
request = function()
  count = count + 1
  local body = requests[(count - 1) % #requests + 1]
  ${replaced}
  return wrk.format(nil, nil, nil, body)
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('RESULT {"perSecond":%.1f,"p50Ms":%.3f,"p99Ms":%.3f,"failures":%d}\\n', summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`;
}

async function byAutocannon({ url, connections, seconds, bodies, headers: others = {} }: Load): Promise<Figures> {
  const headers = { "content-type": "application/json", ...others };
  const requests = bodies.map((body) => ({ method: "POST" as const, headers, body }));
  const result = await autocannon({ url, connections, duration: seconds, requests, idReplacement: bodies.some((body) => body.includes("[<id>]")) });
  return { perSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99, failures: result.non2xx + result.errors };
}
