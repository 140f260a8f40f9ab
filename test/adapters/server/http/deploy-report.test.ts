// What a client of /admin/schema may ask for beside a deploy: details of errors, and the steps of one that takes long. Whoever asks for
// nothing gets the bytes that clients have always got.

import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { progressLines } from "../../../../adapters/server/dgraph-admin/progress-lines.ts";
import { wsTransport } from "../../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../../adapters/yoga/index.ts";
import type { DirectivePlugin, HttpRequest, HttpResponse } from "../../../../core/plugin.ts";
import type { KernelEndpoint, Listening, Outlet } from "../../../../core/transport.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../../support/kernel.ts";

let stack: TemporaryKernel | undefined;
let server: Listening | undefined;
afterEach(async () => {
  await server?.close(1_000);
  await stack?.remove();
  server = stack = undefined;
});

const boat = "type Boat { name: String  seats: Int }";
const wrong = "type Boat {\n  name: Strin\n  seats: Int @search(by: [term])\n}\n";

async function kernelWith(config: TemporaryConfig = {}) {
  stack = await compatibleKernel(config);
  await stack.kernel.deploy(boat);
  return stack.kernel;
}

describe.each(Object.entries({ ws: wsTransport, yoga: yogaTransport }))("on %s", (_transport, transport) => {
  async function listening(endpoint: KernelEndpoint): Promise<void> {
    server = await transport().listen(endpoint, { host: "127.0.0.1", port: 0 });
  }

  /** Deploys, and gives the answer's type and its lines. */
  async function post(query: string, schema: string) {
    const response = await fetch(`${server?.url}/admin/schema${query}`, { method: "POST", body: schema });
    return { status: response.status, type: response.headers.get("content-type"), lines: (await response.text()).split("\n") };
  }

  it("answers like Dgraph without options", async () => {
    await listening(await kernelWith());
    const plain = {
      status: 200,
      type: "application/json",
      lines: [
        JSON.stringify({
          errors: [
            {
              message: `resolving updateGQLSchema failed because input:2: Undefined type Strin.\n (Locations: [{Line: 3, Column: 4}])`,
              extensions: { code: "Error" },
            },
          ],
        }),
      ],
    };
    for (const query of ["", "?details=false&progress=false&dryRun=false", "?pretty=true"]) expect(await post(query, wrong)).toEqual(plain);
    expect(await post("", boat)).toEqual({ status: 200, type: "application/json", lines: ['{"data":{"code":"Success","message":"Done"}}'] });
  });

  it("reports errors with locations, code and hint with details=true, and hidden fields after a deploy", async () => {
    const kernel = await kernelWith();
    await listening(kernel);
    await kernel.execute({ query: "mutation { addBoat(input: [{ seats: 2 }]) { numUids } }" });
    const misnamed = "type Boat {\n  name: String\n  seats: Int @search(by: [terms])\n}\n";
    for (const query of ["?details=true", "?details=true&dryRun=true"]) {
      const { status, type, lines } = await post(query, misnamed);
      expect({ status, type }).toEqual({ status: 200, type: "application/json" });
      const { errors } = JSON.parse(lines.join(""));
      expect(errors).toEqual(
        (await kernel.validate(misnamed)).map(({ message, locations, code, hint }) => ({ message, locations, extensions: { code, hint } })),
      );
      expect(errors[0]).toMatchObject({ locations: [{ line: 3, column: expect.any(Number) }], extensions: { code: "SCHEMA_INVALID" } });
    }
    const { lines } = await post("?details=true", "type Boat { name: String }");
    expect(JSON.parse(lines.join(""))).toEqual({
      data: { code: "Success", message: "Done", unreachable: [{ kind: "field", name: "Boat.seats", stored: "Boat.seats", nodes: 1 }] },
    });
  });

  it("sends progress as lines of JSON with progress=true; the last line is the answer", async () => {
    const kernel = await kernelWith();
    await listening(kernel);
    const input = Array.from({ length: 3_000 }, (_, at) => ({ name: `boat ${at}`, seats: at }));
    await kernel.execute({ query: "mutation ($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }", variables: { input } });
    const { status, type, lines } = await post("?progress=true", "type Boat { name: String @search(by: [term])  seats: Int @search }");
    expect({ status, type }).toEqual({ status: 200, type: "application/x-ndjson" });
    expect(lines.at(-1)).toBe("");
    const told = lines.slice(0, -1).map((line) => JSON.parse(line));
    expect(told.at(-1)).toEqual({ data: { code: "Success", message: "Done" } });
    const steps = told.slice(0, -1).map(({ step }) => step);
    const last = Object.fromEntries(steps.map(({ what, done, total }) => [what, [done, total]]));
    for (const index of ["index Boat.name/term", "index Boat.seats/int"]) {
      expect(Object.entries(last)).toContainEqual([expect.stringContaining(index), [3_000, 3_000]]);
    }
    for (const { done, total } of steps) expect(done).toBeLessThanOrEqual(total === 0 ? done : total);
  });

  it("sends one line for a refused or empty deploy with progress=true", async () => {
    await listening(await kernelWith());
    const one = async (query: string, schema: string) => {
      const { lines } = await post(query, schema);
      expect(lines).toHaveLength(2);
      return JSON.parse(lines[0] ?? "");
    };
    expect(await one("?progress=true", wrong)).toMatchObject({ errors: [{ message: expect.stringContaining("input:2: Undefined type Strin.") }] });
    expect(await one("?progress=true&details=true", wrong)).toEqual({
      errors: [
        {
          message: "Undefined type Strin.",
          locations: [{ line: 2, column: 9 }],
          extensions: { code: "SCHEMA_INVALID", hint: 'Nothing is named Strin; did you mean "String"?' },
        },
      ],
    });
    expect(await one("?progress=true&dryRun=true", "type Ship { name: String }")).toMatchObject({ data: { message: "Nothing was changed" } });
    expect(await one("?progress=true&details=true", boat)).toEqual({ data: { code: "Success", message: "Done", unreachable: [] } });
  });

  it("a deploy continues when its client disconnects", async () => {
    let passage = Promise.resolve();
    const kernel = await kernelWith({ plugins: [...standardPlugins(), atDeploy(() => passage)] });
    const left = promised<void>();
    await listening(noticing(kernel, left.resolve));
    const next = "type Boat { name: String @search }";
    const gate = promised<void>();
    passage = gate.promise;
    const client = httpRequest(`${server?.url}/admin/schema?progress=true`, { method: "POST" });
    client.on("error", () => undefined);
    client.on("response", () => client.destroy());
    client.end(next);
    await left.promise;
    expect(kernel.deployment?.document).toBe(boat);
    gate.resolve();
    await vi.waitFor(() => expect(kernel.deployment?.document).toBe(next), { timeout: 60_000 });
    // The next one is heard as if nothing had been.
    expect((await post("?progress=true", boat)).lines).toHaveLength(2);
  });
});

/** A plugin that is asked when a schema is deployed. */
function atDeploy(open: () => void | Promise<void>): DirectivePlugin {
  return { name: "gate", definitions: "", model: () => ({ open: (why) => (why === "deploy" ? open() : undefined) }) };
}

function promised<T>() {
  let resolve: (value: T) => void = () => expect.unreachable();
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The same endpoint; `left` hears that the client of a stream has gone. */
function noticing(endpoint: KernelEndpoint, left: () => void): KernelEndpoint {
  const watched = ({ stream, ...response }: HttpResponse): HttpResponse => {
    if (stream === undefined) return response;
    return {
      ...response,
      stream(outlet) {
        const listener = stream(outlet);
        return {
          drained: () => listener.drained(),
          leaving: () => listener.leaving(),
          closed() {
            listener.closed();
            left();
          },
        };
      },
    };
  };
  return {
    maxBodyBytes: endpoint.maxBodyBytes,
    http: async (request) => watched(await endpoint.http(request)),
    bodyTooLarge: (request) => endpoint.bodyTooLarge(request),
    upgrade: (request) => endpoint.upgrade(request),
  };
}

describe("the right to deploy", () => {
  const token = "desk-token-1";
  const from = "203.0.113.7";
  const ask = async (config: TemporaryConfig, request: Partial<HttpRequest>) => {
    const kernel = await kernelWith(config);
    const body = new TextEncoder().encode("type Ship { name: String }");
    const answer = await kernel.http({
      method: "POST",
      url: "/admin/schema?progress=true&details=true",
      body,
      remoteAddress: from,
      ...request,
      headers: { host: "localhost", ...request.headers },
    });
    return { kernel, answer };
  };

  it.each([
    ["another machine, without a token", { open: "loopback" }, {}],
    ["this machine, by default", {}, { remoteAddress: "127.0.0.1" }],
    ["a wrong token", { token }, { headers: { "x-service-authtoken": "guess" } }],
    ["no token", { token }, { remoteAddress: "127.0.0.1" }],
    ["an address that is not on the list", { allow: ["198.51.100.1"], token }, { headers: { "x-service-authtoken": token } }],
    ["an address on the list without the token", { allow: [from], token }, {}],
    ["GET", { token }, { method: "GET", headers: { "x-service-authtoken": token } }],
    ["a page of another site", { open: "loopback" }, { remoteAddress: "127.0.0.1", headers: { "sec-fetch-site": "cross-site" } }],
  ] as const)("%s is refused in one piece, and nothing is deployed", async (_, admin, request) => {
    const { kernel, answer } = await ask({ admin }, request);
    expect(answer.stream).toBeUndefined();
    expect(JSON.parse(String(answer.body)).errors).toHaveLength(1);
    expect(kernel.deployment?.document).toBe(boat);
  });

  it.each([
    ["this machine, where it is open", { open: "loopback" }, { remoteAddress: "127.0.0.1" }],
    ["a client with the token", { token }, { headers: { "x-service-authtoken": token } }],
    ["an address on the list, with the token", { allow: [from], token }, { headers: { "x-service-authtoken": token } }],
  ] as const)("%s may deploy", async (_, admin, request) => {
    const { kernel, answer } = await ask({ admin }, request);
    const reader = new Reader(answer);
    await reader.ended;
    expect(reader.pieces).toEqual(['{"data":{"code":"Success","message":"Done","unreachable":[]}}\n']);
    expect(kernel.deployment?.document).toBe("type Ship { name: String }");
  });

  it.each([
    ["?dryRun=yes", "dryRun is true or false."],
    ["?details", "details is true or false."],
    ["?progress=1", "progress is true or false."],
    ["?progress=true&progress=no", "progress is true or false."],
    ["?dryrun=true", "dryRun is written so, not dryrun."],
  ])("%s is a slip, and deploys nothing", async (query, message) => {
    const { kernel, answer } = await ask({}, { remoteAddress: "127.0.0.1", url: `/admin/schema${query}` });
    expect(answer.status).toBe(400);
    expect(JSON.parse(String(answer.body))).toEqual({ errors: [{ message, extensions: { code: "ErrorInvalidRequest" } }] });
    expect(kernel.deployment?.document).toBe(boat);
  });

  it("a fault of a plugin is named with its hook, and the log has it whole", async () => {
    let broken = false;
    const plugin = atDeploy(() => {
      if (broken) throw new Error("secret-path");
    });
    const entries: unknown[] = [];
    const kernel = await kernelWith({
      plugins: [...standardPlugins(), plugin],
      log: { level: "error", to: { write: (entry) => void entries.push(entry) } },
    });
    broken = true;
    for (const query of ["?details=true", "?details=true&progress=true"]) {
      const body = new TextEncoder().encode("type Ship { name: String }");
      const answer = await kernel.http({
        method: "POST",
        url: `/admin/schema${query}`,
        headers: { host: "localhost" },
        body,
        remoteAddress: "127.0.0.1",
      });
      const reader = new Reader(answer);
      await reader.ended;
      expect(reader.pieces.join("")).toMatch(
        /^\{"errors":\[\{"message":"Plugin \\"gate\\", hook open: .*","extensions":\{"code":"PLUGIN_FAILED"\}\}\]\}\n?$/,
      );
    }
    expect(entries).not.toEqual([]);
  });
});

describe("a client that reads nothing", () => {
  it("has at most 64 KiB of steps and the answer buffered", async () => {
    const answer = progressLines(
      async (told) => {
        for (let at = 0; at < 50_000; at++) told({ what: `index ${at % 50}`, done: at, total: 50_000 });
        return { data: {} };
      },
      { keepAliveMs: 0 },
    );
    const reader = new Reader(answer, false);
    await reader.ended;
    expect(reader.pieces.at(-1)).toBe('{"data":{}}\n');
    expect(reader.waiting).toBeLessThan(65 * 1024);
  });

  it("a client that reads everything gets the end of each step", async () => {
    const answer = progressLines(
      async (told) => {
        for (const what of ["a", "b"]) for (const done of [0, 1, 2]) told({ what, done, total: 2 });
        return { data: {} };
      },
      { keepAliveMs: 0 },
    );
    const reader = new Reader(answer);
    await reader.ended;
    expect(reader.pieces).toEqual(['{"step":{"what":"a","done":2,"total":2}}\n', '{"step":{"what":"b","done":2,"total":2}}\n', '{"data":{}}\n']);
  });

  it("an idle connection is kept alive by empty lines", async () => {
    const silence = promised<object>();
    const reader = new Reader(progressLines(() => silence.promise, { keepAliveMs: 1 }));
    await vi.waitFor(() => expect(reader.pieces.slice(0, 2)).toEqual(["\n", "\n"]), { timeout: 60_000 });
    silence.resolve({ data: {} });
    await reader.ended;
    expect(reader.pieces.at(-1)).toBe('{"data":{}}\n');
  });
});

/** A client without a port. */
class Reader implements Outlet {
  readonly pieces: string[] = [];
  waiting = 0;
  readonly #takes: boolean;
  readonly #ended = promised<void>();

  constructor({ body, stream }: HttpResponse, takes = true) {
    this.#takes = takes;
    if (stream !== undefined) stream(this);
    else {
      this.send(String(body));
      this.end();
    }
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  send(text: string): void {
    this.pieces.push(text);
    if (!this.#takes) this.waiting += Buffer.byteLength(text);
  }

  end(): void {
    this.#ended.resolve();
  }
}
