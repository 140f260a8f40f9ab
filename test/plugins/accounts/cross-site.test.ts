// Pages of other origins, to whose requests browsers add the cookie of the user who visits them.

import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { accountsServer, type Client, schema, signedUp } from "./accounts-server.ts";

const query = "{ queryTask { title } }";
const evil = "https://evil.example";

type Ask = (client: Client, headers: Record<string, string>) => Promise<string>;

/** What the answer holds. */
const ways: Readonly<Record<string, Ask>> = {
  "fetch of JSON": async (client, headers) =>
    await (
      await client.send("/graphql", { method: "POST", body: JSON.stringify({ query }), headers: { "content-type": "application/json", ...headers } })
    ).text(),
  "a form": async (client, headers) =>
    await (await client.send("/graphql", { method: "POST", body: query, headers: { "content-type": "application/graphql", ...headers } })).text(),
  GET: async (client, headers) => await (await client.send(`/graphql?query=${encodeURIComponent(query)}`, { headers })).text(),
  "an event stream": async (client, headers) => {
    const response = await client.send("/graphql", {
      method: "POST",
      body: JSON.stringify({ query: `subscription ${query}` }),
      headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
    });
    return await firstEvent(response);
  },
  "a WebSocket": (client, headers) => overSocket(client, headers, {}),
  "a WebSocket whose parameters say another origin": (client, headers) =>
    overSocket(client, headers, { origin: client.url, Origin: client.url, "sec-fetch-site": "same-origin", host: "evil.example" }),
};

async function firstEvent(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (reader !== undefined && !text.includes("data: {")) {
    const { done, value = "" } = await reader.read();
    text += value;
    if (done) break;
  }
  await reader?.cancel();
  return text;
}

function overSocket(client: Client, headers: Record<string, string>, parameters: object): Promise<string> {
  const socket = new WebSocket(`${client.url.replace("http", "ws")}/graphql`, "graphql-transport-ws", {
    headers: { cookie: client.cookie, ...headers },
  });
  return new Promise<string>((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload: parameters })));
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.type === "connection_ack") socket.send(JSON.stringify({ type: "subscribe", id: "1", payload: { query: `subscription ${query}` } }));
      if (message.type === "next" || message.type === "error") resolve(String(data));
    });
  }).finally(() => socket.terminate());
}

const foreign: Readonly<Record<string, (client: Client) => Record<string, string>>> = {
  "says its origin": () => ({ origin: evil }),
  "is of another site": () => ({ origin: evil, "sec-fetch-site": "cross-site" }),
  "is of another host of the site": ({ url }) => ({ origin: url.replace("127.0.0.1", "evil.127.0.0.1"), "sec-fetch-site": "same-site" }),
  "has no origin": () => ({ origin: "null", "sec-fetch-site": "cross-site" }),
  "is of another port of this machine": () => ({ origin: "http://127.0.0.1:1" }),
};

describe.each(["ws", "yoga"] as const)("over the transport %s", (transport) => {
  it.each(Object.entries(ways))("%s has the claims of the cookie for the server's own page, and for no other", async (_way, ask) => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org", { transport });
    await ada.ask('mutation { addTask(input: [{ title: "Secret", owner: { email: "ada@example.org" } }]) { numUids } }');
    expect(await ask(ada, { origin: ada.url })).toContain("Secret");
    for (const headers of Object.values(foreign)) expect(await ask(ada, headers(ada))).not.toContain("Secret");
  });

  it("a page whose origin is listed has them too, in the schema or by an option", async () => {
    const at = await accountsServer({
      schema: `${schema}\n# Service.Allow-Origin "https://app.example"`,
      accounts: { trustedOrigins: ["https://other.example"] },
    });
    const ada = await signedUp(at, "ada@example.org", { transport });
    const titles = async (origin: string) => (await ada.ask("{ queryUser { email } }", { origin, "sec-fetch-site": "cross-site" })).data?.queryUser;
    expect(await titles("https://app.example")).toHaveLength(1);
    expect(await titles("https://other.example")).toHaveLength(1);
    expect(await titles("https://app.example.evil.example")).toEqual([]);
  });

  it("a page of another origin changes nothing at /api/auth with the cookie of its visitor", async () => {
    const at = await accountsServer();
    const ada = await signedUp(at, "ada@example.org", { transport });
    expect((await ada.post("update-user", { name: "Eve" }, { origin: evil })).status).toBe(403);
    expect((await ada.post("sign-out", {}, { origin: evil })).status).toBe(403);
    const preflight = await ada.send("/api/auth/update-user", {
      method: "OPTIONS",
      headers: { origin: evil, "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    expect(await ada.session()).toMatchObject({ user: { name: "Ada" } });
  });
});
