// The HTTP surface with its headers and bytes, over a socket.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { Listening } from "../../core/transport.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { exceptionOf, Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";
import { compareResponse, type HttpFile, type HttpStep, hasShape, send } from "./http-steps.ts";

const path = goldenPath("http", "http.json");
const transports = Object.entries({ ws: wsTransport, yoga: yogaTransport });

/** As the recorded server has it: open to its own machine, its answers to pages of any origin. */
const token = "of-these-cases";
const admin = { open: "loopback", origins: ["*"], token } as const;

/** The recorded server lets pages of any origin administrate. Here they need the token. */
function withToken(step: HttpStep): HttpStep {
  const { path: target, headers = {} } = step;
  return target.startsWith("/admin") && "origin" in headers ? { ...step, headers: { ...headers, "x-dgraph-authtoken": token } } : step;
}

const boats = `type Boat @withSubscription { name: String! @id  length: Int @search  rate: Int @custom(http: { url: "http://127.0.0.1:9/$name", method: GET }) }
type Berth { code: String! @id  note: String }`;

/** Schemas and data that the recorded server got before these cases. Their steps are in the half that was not handed out. */
const unrecorded: Readonly<Record<string, (setUp: string) => readonly Pick<HttpStep, "path" | "headers" | "body">[]>> = {
  "allowed headers with forwarded headers": (setUp) => [
    schemaStep(`${setUp}
      type Query { place: String @custom(http: { url: "http://127.0.0.1:9/", method: GET, forwardHeaders: ["X-Place-Key", "X-Auth:X-Own-Auth"] }) }`),
  ],
  "allowed headers without lines": (setUp) => [schemaStep(setUp)],
  "subscription by POST is executed once": () => [
    schemaStep(boats),
    {
      path: "/graphql",
      headers: { "content-type": "application/graphql" },
      body: 'mutation { addBoat(input: [{ name: "x" }, { name: "y" }], upsert: true) { numUids } }',
    },
  ],
};

function schemaStep(body: string): Pick<HttpStep, "path" | "headers" | "body"> {
  return { path: "/admin/schema", headers: {}, body };
}

describe.runIf(path !== undefined).each(transports)("the recorded HTTP surface on %s", (name, transport) => {
  const tally = new Tally();
  const file = path === undefined ? { setup: [], cases: [] } : readGolden<HttpFile>(path);
  let stack: TemporaryKernel;
  let server: Listening;

  beforeAll(async () => {
    stack = await compatibleKernel({ admin, limits: { maxValueCharacters: Number.POSITIVE_INFINITY } });
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    for (const step of file.setup) expect(compareResponse(await send(step, server.url), step)).toEqual([]);
  });

  afterAll(async () => {
    await server?.close(1_000);
    await stack?.remove();
    tally.print(`golden HTTP on ${name}`);
  });

  for (const step of file.cases) {
    it(step.name, async () => {
      const setUp = file.setup.find((each) => each.name === "schema")?.body ?? "";
      for (const missing of unrecorded[step.name]?.(setUp) ?? []) {
        const { status, text } = await send({ name: "unrecorded", method: "POST", ...missing }, server.url);
        expect([status, text]).toEqual([200, expect.not.stringContaining("errors")]);
      }
      tally.judge(`http/${step.name}`, compareResponse(await send(withToken(step), server.url), step));
    });
  }

  it("excepts only cases that are there", () => {
    expect(unknownExceptions("http/", new Set(file.cases.map((each) => `http/${each.name}`)))).toEqual([]);
  });
});

describe("the comparison of responses", () => {
  const headers = { "content-type": "application/json", "graphql-toucheduids": "4" };
  const step: HttpStep = {
    name: "x",
    method: "GET",
    path: "/",
    answer: { status: 200, headers, body: { data: { a: 1 } }, extensions: ["touched_uids", "tracing"] },
  };
  const right = {
    status: 200,
    headers: { ...headers, "graphql-toucheduids": "9" },
    text: '{"data":{"a":1},"extensions":{"touched_uids":9,"more":1}}',
  };

  it("leaves free what is free, and nothing else", () => {
    expect(compareResponse(right, step)).toEqual([]);
    expect(compareResponse({ ...right, headers }, step)).toEqual([]);
    expect(compareResponse({ ...right, status: 201 }, step)).not.toEqual([]);
    expect(compareResponse({ ...right, headers: { "content-type": "application/json" } }, step)).not.toEqual([]);
    expect(compareResponse({ ...right, headers: { ...headers, "graphql-toucheduids": "0" } }, step)).not.toEqual([]);
    expect(compareResponse({ ...right, headers: { ...headers, "content-encoding": "gzip" } }, step)).not.toEqual([]);
    expect(compareResponse({ ...right, text: '{"data":{"a":1}}' }, step)).not.toEqual([]);
    expect(compareResponse({ ...right, text: '{"data":{"a":2},"extensions":{"touched_uids":9}}' }, step)).not.toEqual([]);
  });

  it("knows kinds of values", () => {
    expect(hasShape([{ a: "x", b: 1, c: [] }], [{ a: "string", b: "number", c: ["string"] }])).toBe(true);
    expect(hasShape([{ a: "x", b: "1", c: [] }], [{ a: "string", b: "number", c: ["string"] }])).toBe(false);
    expect(hasShape([{ a: "x", b: 1, c: [1] }], [{ a: "string", b: "number", c: ["string"] }])).toBe(false);
  });

  it("knows which cases wait for a later issue", () => {
    expect(exceptionOf("http/json")).toBeUndefined();
  });
});
