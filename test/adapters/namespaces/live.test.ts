// Live queries of namespaces: over WebSockets the parameters of the connection say which namespace it is; what is in use stays open, the rest is closed.

import { afterEach, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { type Server, serve } from "../../../adapters/server/index.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../adapters/yoga/index.ts";
import type { Transport } from "../../../core/transport.ts";
import { eventually } from "../../support/eventually.ts";
import { tenantsPlace } from "../../support/tenants-place.ts";
import { asking, type Tenants, type TenantsConfig, tenantsKernel } from "./tenants.ts";

const boats = "type Boat @withSubscription { tag: String! @id }";
const add = (tag: string) => `mutation { addBoat(input: [{ tag: "${tag}" }]) { numUids } }`;

let server: Server | undefined;
const sockets: WebSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await server?.close(0);
  server = undefined;
});

async function start(config: TenantsConfig = {}, transport: Transport = wsTransport()): Promise<Tenants & { readonly url: string }> {
  const place = await tenantsPlace();
  const { zero } = place.stores();
  server = await serve(
    { storage: zero, transports: [transport], port: 0, log: { level: "silent" } },
    { kernelOf: () => tenantsKernel(place, config) },
  );
  return { ...asking(server.kernel as Tenants["kernel"]), url: server.urls[0] ?? "" };
}

interface Client {
  readonly socket: WebSocket;
  readonly frames: { readonly type: string; readonly payload?: { readonly data?: unknown } }[];
  readonly results: () => readonly unknown[];
  readonly closed: Promise<number>;
}

async function client(
  url: string,
  { parameters = {}, protocol = "graphql-transport-ws" }: { parameters?: object; protocol?: string } = {},
): Promise<Client> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, protocol);
  sockets.push(socket);
  const frames: Client["frames"] = [];
  socket.on("message", (text) => void frames.push(JSON.parse(String(text))));
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  socket.send(JSON.stringify({ type: "connection_init", payload: parameters }));
  const results = () => frames.filter(({ type }) => type === "next" || type === "data").map(({ payload }) => payload?.data);
  return { socket, frames, results, closed };
}

function subscribe({ socket }: Client, type = "subscribe"): void {
  socket.send(JSON.stringify({ id: "1", type, payload: { query: "subscription { queryBoat { tag } }" } }));
}

const open = ({ kernel }: Tenants) => kernel.gauges.read().namespacesOpen;

describe.each([
  { transport: "ws", make: () => wsTransport() },
  { transport: "yoga", make: () => yogaTransport() },
])("over $transport", ({ make }) => {
  it.each([
    { protocol: "graphql-transport-ws", begin: "subscribe" },
    { protocol: "graphql-ws", begin: "start" },
  ])("a live query of $protocol is of the namespace of its token, and hears nothing of another one", async ({ protocol, begin }) => {
    const tenants = await start({}, make());
    const [one, two] = [await tenants.tenant(boats), await tenants.tenant(boats)];
    const clients = await Promise.all(
      [one, two].map(({ token }) => client(tenants.url, { parameters: { "X-Dgraph-AccessToken": token }, protocol })),
    );
    for (const each of clients) subscribe(each, begin);
    await eventually(() => expect(clients.map(({ results }) => results().length)).toEqual([1, 1]));
    await tenants.graphql(add("of two"), two.token);
    await tenants.graphql(add("of one"), one.token);
    await eventually(() =>
      expect(clients.map(({ results }) => results().at(-1))).toEqual([{ queryBoat: [{ tag: "of one" }] }, { queryBoat: [{ tag: "of two" }] }]),
    );
    expect(JSON.stringify(clients[0]?.frames)).not.toContain("of two");
  });

  it("an event stream is of the namespace of its token, and keeps it open", async () => {
    const tenants = await start({ maxOpen: 1, idleMs: 0 }, make());
    const { token, namespace } = await tenants.tenant(boats);
    const stopping = new AbortController();
    const { body } = await fetch(`${tenants.url}/graphql`, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json", "x-dgraph-accesstoken": token },
      body: JSON.stringify({ query: "subscription { queryBoat { tag } }" }),
      signal: stopping.signal,
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await eventually(() => expect(text).toContain('"queryBoat":[]'));
    expect(open(tenants)).toBe(2);
    await tenants.graphql(add("a"), token);
    await eventually(() => expect(text).toContain('"tag":"a"'));
    stopping.abort();
    await reading;
    expect(namespace).toBe(1);
    // Its place is free again.
    expect((await tenants.tenant(boats)).namespace).toBe(2);
  });
});

describe("a WebSocket", () => {
  it("without a token is of namespace 0", async () => {
    const tenants = await start();
    const each = await client(tenants.url);
    subscribe(each);
    await eventually(() => expect(JSON.stringify(each.frames)).toMatch(/connection_ack.*(schema|accessJwt)/));
    expect(open(tenants)).toBe(1);
  });

  it("keeps its namespace open, and is ended when that is deleted", async () => {
    const tenants = await start({ maxOpen: 1 });
    const one = await tenants.tenant(boats);
    const each = await client(tenants.url, { parameters: { "X-Dgraph-AccessToken": one.token } });
    subscribe(each);
    await eventually(() => expect(each.results()).toEqual([{ queryBoat: [] }]));
    const zero = await tenants.groot(0);
    const refused = await tenants.admin("mutation { addNamespace { namespaceId } }", zero);
    expect(refused.errors?.[0]?.message).toContain("As many namespaces are in use as may be open (1, maxOpen)");
    expect((await tenants.admin("{ state { namespaces } }", zero)).data).toEqual({ state: { namespaces: [0, 1] } });
    await tenants.admin("mutation { deleteNamespace(input: { namespaceId: 1 }) { message } }", zero);
    expect(await each.closed).toBe(1012);
    expect((await tenants.admin("mutation { addNamespace { namespaceId } }", zero)).errors).toBeUndefined();
  });
});

describe("namespaces that nobody uses", () => {
  it("give way to others, the one that was used least recently first, and are opened again when they are asked", async () => {
    const tenants = await start({ maxOpen: 2 });
    const made = [await tenants.tenant(boats), await tenants.tenant(boats), await tenants.tenant(boats)];
    for (const { token, namespace } of made) await tenants.graphql(add(`of ${namespace}`), token);
    const answers = await Promise.all(made.map(({ token }) => tenants.graphql("{ queryBoat { tag } }", token)));
    expect(answers.map(({ data }) => data)).toEqual(made.map(({ namespace }) => ({ queryBoat: [{ tag: `of ${namespace}` }] })));
    expect(open(tenants)).toBe(3);
  });

  it("are opened once for many requests at the same time", async () => {
    const place = await tenantsPlace();
    const opened: number[] = [];
    const counting = {
      ...place,
      stores: () => {
        const { zero, stores } = place.stores();
        const storage = (namespace: number) => {
          opened.push(namespace);
          return stores.storage(namespace);
        };
        return { zero, stores: { ...stores, storage } };
      },
    };
    const tenants = asking(tenantsKernel(counting, { maxOpen: 1 }));
    await tenants.kernel.open();
    const [one, two] = [await tenants.tenant(boats), await tenants.tenant(boats)];
    opened.length = 0;
    await Promise.all(Array.from({ length: 20 }, (_, i) => tenants.graphql("{ queryBoat { tag } }", (i < 10 ? one : two).token)));
    expect(opened.length).toBeLessThanOrEqual(3);
    await tenants.kernel.close();
  });

  it("answer those who ask for one that does not open, and nobody else", async () => {
    const place = await tenantsPlace();
    const broken = {
      ...place,
      stores: () => {
        const { zero, stores } = place.stores();
        const storage = (n: number) => {
          const made = stores.storage(n);
          return n === 1 && isBroken
            ? Object.assign(Object.create(made), { open: () => Promise.reject(new Error("the disk /secret/path is gone")) })
            : made;
        };
        return { zero, stores: { ...stores, storage } };
      },
    };
    let isBroken = false;
    const tenants = asking(tenantsKernel(broken, { maxOpen: 1 }));
    await tenants.kernel.open();
    const [one, two] = [await tenants.tenant(boats), await tenants.tenant(boats)];
    isBroken = true;
    const [first, other, again] = await Promise.all([one, two, one].map(({ token }) => tenants.graphql("{ queryBoat { tag } }", token)));
    expect([first?.status, again?.status, other?.data]).toEqual([503, 503, { queryBoat: [] }]);
    expect(JSON.stringify(first)).not.toContain("secret");
    isBroken = false;
    expect((await tenants.graphql("{ queryBoat { tag } }", one.token)).data).toEqual({ queryBoat: [] });
    await tenants.kernel.close();
  });
});
