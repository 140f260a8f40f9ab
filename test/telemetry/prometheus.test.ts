// Prometheus metrics of a server: counts, latencies and store statistics, for authorized clients only.

import { afterAll, beforeAll, expect, it } from "vitest";
import { prometheusMetrics } from "../../adapters/prometheus/index.ts";
import type { HttpRequest, HttpResponse } from "../../core/plugin.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel;

beforeAll(async () => {
  stack = await temporaryKernel({ metrics: prometheusMetrics({ process: false }) });
  await stack.kernel.deploy("type Mill { name: String! @id  stones: Int }");
});
afterAll(() => stack.remove());

async function http({ kernel }: TemporaryKernel, request: Partial<HttpRequest>): Promise<HttpResponse> {
  return kernel.http({
    method: "GET",
    url: "/metrics",
    headers: { host: "localhost" },
    body: new Uint8Array(0),
    remoteAddress: "127.0.0.1",
    ...request,
  });
}

async function lines(of: TemporaryKernel = stack): Promise<readonly string[]> {
  return String((await http(of, {})).body).split("\n");
}

/** The number behind a name and its labels, as it stands on the line. */
async function value(name: string, of?: TemporaryKernel): Promise<number> {
  const line = (await lines(of)).find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

const ask = (query: string, headers: HttpRequest["headers"] = {}) =>
  http(stack, {
    method: "POST",
    url: "/graphql",
    headers: { "content-type": "application/json", ...headers },
    body: Buffer.from(JSON.stringify({ query })),
  });

it("counts operations by kind and outcome", async () => {
  const before = await value('quern_operations_total{kind="query",outcome="ok"}');
  await ask("{ queryMill { name } }");
  await ask("{ queryMill { name } }");
  await ask('mutation { addMill(input: [{ name: "Kent", stones: 2 }]) { numUids } }');
  await ask('mutation { addMill(input: [{ name: "Kent", stones: 3 }]) { numUids } }');
  await ask("{ queryMill { nme } }");
  await ask("{ queryMill");
  expect(await value('quern_operations_total{kind="query",outcome="ok"}')).toBe((before || 0) + 2);
  expect(await value('quern_operations_total{kind="mutation",outcome="ok"}')).toBe(1);
  expect(await value('quern_operations_total{kind="mutation",outcome="failed"}')).toBe(1);
  expect(await value('quern_operations_total{kind="unknown",outcome="refused"}')).toBe(2);
});

it("counts HTTP requests by path and status; unknown paths share one label", async () => {
  for (const url of ["/a", "/b?secret=1", "/admin/c"]) await http(stack, { url });
  await http(stack, { url: "/health" });
  const all = await lines();
  expect(all).toContain('quern_http_requests_total{path="/health",status="200"} 1');
  expect(all.filter((line) => line.startsWith('quern_http_requests_total{path="other"'))).toEqual([
    'quern_http_requests_total{path="other",status="404"} 3',
  ]);
  expect(all.join("\n")).not.toContain("secret");
});

it("sorts latencies into cumulative buckets", async () => {
  const all = (await lines()).filter((line) => line.startsWith('quern_operation_duration_seconds_bucket{le="') && line.includes('kind="query"'));
  const counts = all.map((line) => Number(line.split(" ").at(-1)));
  expect(all[0]).toMatch(/le="0.0005"/);
  expect(all.at(-1)).toMatch(/le="\+Inf"/);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(counts.at(-1)).toBe(await value('quern_operation_duration_seconds_count{kind="query"}'));
  expect(await value('quern_operation_duration_seconds_sum{kind="query"}')).toBeGreaterThan(0);
});

it("measures commits, failed ones separately", async () => {
  expect(await value('quern_commit_duration_seconds_count{ok="true"}')).toBeGreaterThanOrEqual(1);
  expect(await value('quern_commit_duration_seconds_count{ok="false"}')).toBeGreaterThanOrEqual(1);
});

it("reads values of the store and the kernel on each scrape", async () => {
  const mills = 'quern_store_nodes{of="Mill"}';
  const before = await value(mills);
  await ask('mutation { addMill(input: [{ name: "Ely" }, { name: "Ryde" }]) { numUids } }');
  expect(await value(mills)).toBe(before + 2);
  expect(await value("quern_requests_running")).toBe(0);
  expect(await value("quern_requests_waiting")).toBe(0);
  const remove = stack.kernel.gauges.add("liveQueries", () => 7);
  expect(await value("quern_live_queries")).toBe(7);
  remove();
  expect(await value("quern_live_queries")).toBeNaN();
});

it("does not exist without metrics, and requires authorization unless it is open", async () => {
  const away = { remoteAddress: "203.0.113.9" };
  const none = await temporaryKernel();
  expect((await http(none, {})).status).toBe(404);
  await none.remove();

  expect((await http(stack, away)).status).toBe(403);
  expect((await http(stack, { method: "POST" })).status).toBe(405);

  const open = await temporaryKernel({ metrics: prometheusMetrics({ open: true, process: false }) });
  expect((await http(open, away)).status).toBe(200);
  await open.remove();

  const guarded = await temporaryKernel({ metrics: prometheusMetrics({ process: false }), admin: { token: "gate-token" } });
  const sent = (headers: HttpRequest["headers"]) => http(guarded, { ...away, headers });
  expect((await sent({})).status).toBe(403);
  expect((await sent({ authorization: "Bearer gate-tokem" })).status).toBe(403);
  expect((await sent({ authorization: "Bearer gate-token" })).status).toBe(200);
  expect((await sent({ "x-service-authtoken": "gate-token" })).status).toBe(200);
  await guarded.remove();
});

it("shows what ended before the first scrape, once, to two scrapes at a time", async () => {
  const fresh = await temporaryKernel({ metrics: prometheusMetrics() });
  await fresh.kernel.deploy("type Mill { name: String! @id }");
  for (const stones of [1, 2, 3]) await fresh.kernel.execute({ query: `{ queryMill(first: ${stones}) { name } }` });
  const total = 'quern_operations_total{kind="query",outcome="ok"}';
  expect(await Promise.all([value(total, fresh), value(total, fresh)])).toEqual([3, 3]);
  expect(await value(total, fresh)).toBe(3);
  expect(await value('quern_operation_duration_seconds_count{kind="query"}', fresh)).toBe(3);
  expect(await value("process_cpu_seconds_total", fresh)).toBeGreaterThan(0);
  await fresh.remove();
});

it("does not fail a request if the metrics throw", async () => {
  const metrics = {
    operation: () => {
      throw new Error("the abacus broke");
    },
    expose: () => ({ contentType: "text/plain", body: "" }),
  };
  const broken = await temporaryKernel({ metrics });
  await broken.kernel.deploy("type Mill { name: String! @id }");
  expect((await broken.kernel.execute({ query: "{ queryMill { name } }" })).body).toBe('{"data":{"queryMill":[]}}');
  await broken.remove();
});
