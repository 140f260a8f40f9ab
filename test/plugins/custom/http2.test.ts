// Remote services that speak HTTP/2, as TLS agrees upon it; and beside them those that do not.

import { readFileSync } from "node:fs";
import { createSecureServer, type Http2SecureServer, constants as http2, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { remotesServer } from "./remotes-server.ts";

/** Signed by itself, for localhost and 127.0.0.1. */
const certificate = fileURLToPath(new URL("certificate/certificate.pem", import.meta.url));
const tls = { cert: readFileSync(certificate), key: readFileSync(fileURLToPath(new URL("certificate/key.pem", import.meta.url))) };

type Respond = (stream: ServerHttp2Stream) => void;

interface Service {
  readonly url: string;
  /** Streams that the client has opened, by path. */
  readonly asked: readonly string[];
  readonly sessions: () => number;
  /** Streams that the client has reset. */
  readonly reset: () => number;
}

async function http2Service(paths: Readonly<Record<string, Respond>>): Promise<Service> {
  const asked: string[] = [];
  const sessions = new Set<ServerHttp2Session>();
  let reset = 0;
  const server: Http2SecureServer = createSecureServer(tls);
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined);
  });
  server.on("stream", (stream, headers) => {
    const path = String(headers[":path"]);
    asked.push(path);
    stream.on("error", () => undefined);
    stream.on("aborted", () => reset++);
    paths[path.slice(1)]?.(stream);
  });
  const url = await listening(server);
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { url, asked, sessions: () => sessions.size, reset: () => reset };
}

async function listening(server: Pick<Server, "listen" | "address">): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server with one field of Query for each address, which trusts the certificate. */
async function server(
  addresses: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = { NODE_EXTRA_CA_CERTS: certificate },
) {
  const fields = Object.entries(addresses).map(([name, url]) => `${name}: String @custom(http: { url: "${url}", method: GET })`);
  const custom = { timeoutMs: 3_000, maxResponseBytes: 1_000_000, maxConcurrent: 4 };
  const { query } = await remotesServer(`type Note { text: String }  type Query { ${fields.join("\n")} }`, { custom, environment });
  return query;
}

const failed = (field: string, reason: string) => [
  {
    message: `Evaluation of custom field failed because external request returned an error: ${reason} for field: ${field} within type: Query.`,
    locations: expect.anything(),
  },
];

const answer =
  (text: string, headers: Readonly<Record<string, string>> = {}): Respond =>
  (stream) => {
    stream.respond({ ":status": 200, ...headers });
    stream.end(text);
  };

it("asks a service by HTTP/2 over kept connections, where it speaks that, and by HTTP/1.1 elsewhere", async () => {
  const { url, asked, sessions } = await http2Service({
    new: answer('"new"'),
    moved: (stream) => {
      stream.respond({ ":status": 307, location: "/new" });
      stream.end();
    },
  });
  const old = createServer(tls, (request, response) => void response.end(JSON.stringify(`HTTP/${request.httpVersion}`)));
  const oldUrl = await listening(old);
  onTestFinished(() => void old.close());
  const query = await server({ new: `${url}/new`, moved: `${url}/moved`, old: oldUrl });
  expect(await query("{ new moved old }")).toMatchObject({ data: { new: "new", moved: "new", old: "HTTP/1.1" } });
  expect([...asked].sort()).toEqual(["/moved", "/new", "/new"]);
  for (let i = 0; i < 10; i++) await query("{ new }");
  expect(sessions()).toBeLessThanOrEqual(4);
});

it("turns a failure in the ways of HTTP/2 into that field's error, and asks the service again the next time", async () => {
  const service = await http2Service({
    good: answer('"good"'),
    cancels: (stream) => stream.close(http2.NGHTTP2_CANCEL),
    refuses: (stream) => stream.close(http2.NGHTTP2_REFUSED_STREAM),
    fails: (stream) => stream.close(http2.NGHTTP2_INTERNAL_ERROR),
    leaves: (stream) => {
      stream.session?.goaway(http2.NGHTTP2_NO_ERROR, 0);
      stream.session?.destroy();
    },
    breaks: (stream) => {
      stream.respond({ ":status": 200, "content-length": "4" });
      stream.write("12");
      setTimeout(() => stream.close(http2.NGHTTP2_INTERNAL_ERROR), 20);
    },
  });
  const names = ["good", "cancels", "refuses", "fails", "leaves", "breaks"];
  const query = await server(Object.fromEntries(names.map((name) => [name, `${service.url}/${name}`])));
  for (const name of names.slice(1)) {
    expect(await query(`{ ${name} }`), name).toMatchObject({ data: { [name]: null }, errors: failed(name, "the connection was closed") });
    expect(await query("{ good }"), `after ${name}`).toMatchObject({ data: { good: "good" } });
  }
});

it("gives up a service that answers never, slowly or without an end, and resets its stream", async () => {
  const service = await http2Service({
    good: answer('"good"'),
    never: () => undefined,
    slow: (stream) => {
      stream.respond({ ":status": 200 });
      const timer = setInterval(() => stream.write(" "), 10);
      stream.on("close", () => clearInterval(timer));
    },
    endless: (stream) => {
      stream.respond({ ":status": 200 });
      const more = () => {
        while (!stream.destroyed && stream.write(Buffer.alloc(65_536, 97)));
        stream.once("drain", more);
      };
      more();
    },
  });
  const names = ["good", "never", "slow", "endless"];
  const query = await server(Object.fromEntries(names.map((name) => [name, `${service.url}/${name}`])));
  const answers = names.slice(1).map((name) => query(`{ ${name} good }`));
  const reasons = ["no reply within 3000 ms", "no reply within 3000 ms", "the reply is longer than 1000000 bytes"];
  for (const [i, each] of (await Promise.all(answers)).entries()) {
    const name = names[i + 1] ?? "";
    expect(each, name).toMatchObject({ data: { [name]: null, good: "good" }, errors: failed(name, reasons[i] ?? "") });
  }
  await eventually(() => expect(service.reset()).toBe(3));
});

it("does not ask a service whose certificate nobody trusts, and the error says why", async () => {
  const service = await http2Service({ good: answer('"good"') });
  const query = await server({ good: `${service.url}/good` }, {});
  expect((await query("{ good }")).errors).toMatchObject(failed("good", "the certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)"));
  expect(service.asked).toEqual([]);
});
