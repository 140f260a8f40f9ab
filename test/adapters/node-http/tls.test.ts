// HTTPS and WSS on both transports: requests, subscriptions, a renewed certificate, closing.

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../adapters/yoga/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { firstCertificate, secondCertificate, type TestCertificate } from "../../support/certificates.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

const ca = [firstCertificate.cert, secondCertificate.cert];
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function files(certificate: TestCertificate) {
  const folder = await mkdtemp(join(tmpdir(), "quern-tls-"));
  ends.push(() => rm(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, "server.crt"), join(folder, "server.key")];
  const write = async ({ cert, key }: TestCertificate) => {
    await writeFile(keyFile, key);
    await writeFile(certFile, cert);
  };
  await write(certificate);
  return { tls: { certFile, keyFile }, write };
}

async function listen(transport: typeof wsTransport, tls: { readonly certFile: string; readonly keyFile: string }) {
  const stack: TemporaryKernel = await temporaryKernel();
  ends.push(() => stack.remove());
  await stack.kernel.deploy("type Note @withSubscription { text: String }");
  const server: Listening = await transport({ tls }).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  ends.push(() => server.close(0));
  return { kernel: stack.kernel, server };
}

interface Received {
  readonly body: string;
  /** The common name of the server's certificate. */
  readonly server: string;
}

function ask(url: string, query: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/graphql`, { method: "POST", ca, agent: false, headers: { "content-type": "application/graphql" } }, (response) => {
      const server = String((response.socket as TLSSocket).getPeerCertificate().subject.CN);
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve({ body, server }));
    });
    sent.on("error", reject);
    sent.end(query);
  });
}

describe.each(Object.entries({ ws: wsTransport, yoga: yogaTransport as typeof wsTransport }))("TLS on %s", (_name, transport) => {
  it("serves requests and subscriptions", async () => {
    const { tls } = await files(firstCertificate);
    const { server } = await listen(transport, tls);
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const socket = new WebSocket(`${server.url.replace("https", "wss")}/graphql`, "graphql-transport-ws", { ca });
    const messages: { readonly type: string; readonly payload?: { readonly data?: unknown } }[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(String(data))));
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init" }));
    await expect.poll(() => messages.at(-1)?.type).toBe("connection_ack");
    socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query: "subscription { queryNote { text } }" } }));
    await expect.poll(() => messages.at(-1)?.payload?.data).toEqual({ queryNote: [] });
    expect(JSON.parse((await ask(server.url, 'mutation { addNote(input: [{ text: "ü" }]) { numUids } }')).body).data).toEqual({
      addNote: { numUids: 1 },
    });
    await expect.poll(() => messages.at(-1)?.payload?.data).toEqual({ queryNote: [{ text: "ü" }] });
    socket.terminate();
  });

  it("takes a renewed certificate without a restart, and keeps the old one while the new files do not fit", async () => {
    const { tls, write } = await files(firstCertificate);
    const { server } = await listen(transport, tls);
    expect((await ask(server.url, "{ __typename }")).server).toBe("first.example");
    await writeFile(tls.certFile, secondCertificate.cert);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await ask(server.url, "{ __typename }")).server).toBe("first.example");
    await write(secondCertificate);
    await expect.poll(async () => (await ask(server.url, "{ __typename }")).server).toBe("second.example");
  });

  it("closes at once, also with connections that never began a handshake", async () => {
    const { tls } = await files(firstCertificate);
    const { server } = await listen(transport, tls);
    await ask(server.url, "{ __typename }");
    const silent = connect(Number(new URL(server.url).port), "127.0.0.1");
    await once(silent, "connect");
    const begun = performance.now();
    await server.close(20_000);
    expect(performance.now() - begun).toBeLessThan(10_000);
    silent.destroy();
  });

  it("refuses files that are missing or do not fit together", async () => {
    const { tls } = await files(firstCertificate);
    await expect(listen(transport, { ...tls, keyFile: `${tls.keyFile}.none` })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("The TLS key cannot be read"),
    });
    await writeFile(tls.keyFile, secondCertificate.key);
    await expect(listen(transport, tls)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("cannot be used together"),
    });
  });
});
