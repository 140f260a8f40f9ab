// What a page of another origin may do at the API: one rule for every way in.

import { afterEach, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { open } from "../socket/line.ts";
import { ask, json } from "./ask.ts";

let stack: TemporaryKernel;
afterEach(() => stack.remove());

const own = { origin: "http://localhost:8080", "sec-fetch-site": "same-origin" };
const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
/** Beyond loopback browsers leave `Sec-Fetch-Site` out on plain HTTP. */
const foreignOnPlainHttp = { host: "quern.lan:8080", origin: "https://evil.example" };
const otherPort = { origin: "http://localhost:3000", "sec-fetch-site": "same-site" };
const image = { "sec-fetch-site": "cross-site" };
const listed = { origin: "https://app.example", "sec-fetch-site": "cross-site" };
const program = {};

const mutation = 'mutation { addBoat(input: [{ name: "Heron" }], upsert: true) { numUids } }';
const query = "{ queryBoat { name } }";

type Headers = Readonly<Record<string, string>>;
type Way = (document: string, headers: Headers) => Promise<string>;

const events = { accept: "text/event-stream" };

async function overSocket(document: string, headers: Headers): Promise<string> {
  const line = await open(stack.kernel, { protocols: "graphql-transport-ws", headers: { host: "localhost:8080", ...headers } });
  // What a page says of itself afterwards counts for nothing.
  line.say({ type: "connection_init", payload: { origin: "http://localhost:8080", "sec-fetch-site": "same-origin" } });
  line.say({ type: "subscribe", id: "1", payload: { query: document } });
  const [, answer] = await line.hear(2);
  return JSON.stringify(answer);
}

async function overEvents(question: Parameters<typeof ask>[1]): Promise<string> {
  const { stream } = await ask(stack.kernel, question);
  let text = "";
  await new Promise<void>((resolve) => {
    const send = (piece: string) => {
      text += piece;
    };
    stream?.({ waiting: 0, send, end: () => resolve() });
  });
  return text;
}

const path = (document: string) => `/graphql?query=${encodeURIComponent(document)}`;
const asJson = (document: string) => JSON.stringify({ query: document });
const body = (response: Awaited<ReturnType<typeof ask>>) => JSON.stringify(json(response));

const unasked: Readonly<Record<string, Way>> = {
  GET: async (document, headers) => body(await ask(stack.kernel, { method: "GET", path: path(document), headers })),
  "an event stream by GET": (document, headers) => overEvents({ method: "GET", path: path(document), headers: { ...events, ...headers } }),
  "graphql-transport-ws": overSocket,
};

const preflighted: Readonly<Record<string, Way>> = {
  "POST of JSON": async (document, headers) =>
    body(await ask(stack.kernel, { headers: { "content-type": "application/json", ...headers }, body: asJson(document) })),
  "POST of GraphQL": async (document, headers) =>
    body(await ask(stack.kernel, { headers: { "content-type": "application/graphql", ...headers }, body: document })),
  "an event stream by POST": (document, headers) =>
    overEvents({ headers: { ...events, "content-type": "application/json", ...headers }, body: asJson(document) }),
};

const done = '"addBoat":{"numUids":';
const refused = "A page of another origin may not write here.";

async function serving(lines = ""): Promise<void> {
  stack = await temporaryKernel();
  await stack.kernel.deploy(`type Boat @withSubscription { name: String! @id }\n${lines}`);
}

async function written(): Promise<boolean> {
  return (await stack.kernel.execute({ query })).body.includes("Heron");
}

describe.each(Object.entries({ ...unasked, ...preflighted }))("by %s", (_way, send) => {
  it("programs and pages of the server's origin may write", async () => {
    await serving();
    for (const headers of [program, own]) expect(await send(mutation, headers), JSON.stringify(headers)).toContain(done);
  });

  it("a page of another site may not write to a server on loopback", async () => {
    await serving();
    expect(await send(mutation, foreign)).toContain(refused);
    expect(await written()).toBe(false);
  });

  it("a page whose origin the schema lists may write", async () => {
    await serving('# Service.Allow-Origin "https://app.example"\n');
    expect(await send(mutation, listed)).toContain(done);
  });

  it("queries are not refused", async () => {
    await serving();
    expect(await send(query, foreign)).toContain('"queryBoat":[]');
  });
});

it.each(Object.entries(unasked))("by %s, without a preflight, no page of another origin may write", async (_way, send) => {
  await serving();
  for (const headers of [foreignOnPlainHttp, otherPort, { origin: "null" }]) expect(await send(mutation, headers), headers.origin).toContain(refused);
  expect(await send(mutation, image)).toContain(refused);
  expect(await written()).toBe(false);
});

it.each(Object.entries(preflighted))("by %s a page of another origin may write if the preflight allows it", async (_way, send) => {
  await serving();
  for (const headers of [foreignOnPlainHttp, otherPort]) expect(await send(mutation, headers), headers.origin).toContain(done);
});

it("refuses a POST of a type that browsers send without a preflight", async () => {
  await serving();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain; application/json"])
    expect(json(await ask(stack.kernel, { headers: { "content-type": type }, body: asJson(mutation) })), type).toHaveProperty("errors");
  expect(json(await ask(stack.kernel, { body: asJson(mutation) }))).toHaveProperty("errors");
  expect(await written()).toBe(false);
});

it("answers a refused mutation by HTTP with status 403", async () => {
  await serving();
  expect((await ask(stack.kernel, { method: "GET", path: path(mutation), headers: foreign })).status).toBe(403);
});
