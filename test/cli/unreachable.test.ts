// Why a command cannot reach the server of --url: one sentence with the reason, and no password or token.

import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { connectionFailure } from "../../adapters/cli/client/connection-failure.ts";
import { postText } from "../../adapters/cli/client/server-url.ts";
import { explainFailure } from "../../adapters/cli/ground/failure.ts";
import { expiredCertificate, firstCertificate } from "../support/certificates.ts";
import { quern, temporaryFolder } from "./quern.ts";

async function portOf(server: Server, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const post = { body: "{}", contentType: "application/json" };
const token = "sesame-0123456789-0123456789-0123456789";
const attempt = (url: string, secret = token): Promise<unknown> =>
  postText({ url, token: secret }, "/admin", post).then(
    () => "an answer",
    (error: unknown) => error,
  );
const shown = async (url: string, secret = token) => explainFailure(await attempt(url, secret));

it("a certificate that nobody knows is untrusted", async () => {
  const port = await portOf(createHttpsServer(firstCertificate));
  expect(await shown(`https://127.0.0.1:${port}`)).toBe(
    `The certificate of https://127.0.0.1:${port} is not trusted; name a file with its authority in the environment variable NODE_EXTRA_CA_CERTS.`,
  );
});

it("a trusted certificate may have expired, or be for another host", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  writeFileSync(join(folder.path, "ca.pem"), firstCertificate.cert + expiredCertificate.cert);
  writeFileSync(join(folder.path, "schema.graphql"), "type Boat { name: String! @id }\n");
  vi.stubEnv("NODE_EXTRA_CA_CERTS", join(folder.path, "ca.pem"));
  vi.stubEnv("QUERN_ADMIN_TOKEN", token);
  onTestFinished(() => void vi.unstubAllEnvs());
  const deploy = async (url: string) => (await quern(folder.path, "deploy", "schema.graphql", "--url", url).ended).err.trim();
  const expired = `https://127.0.0.1:${await portOf(createHttpsServer(expiredCertificate))}`;
  expect(await deploy(expired)).toBe(`The certificate of ${expired} has expired.`);
  const other = `https://127.0.0.2:${await portOf(createHttpsServer(firstCertificate), "127.0.0.2")}`;
  expect(await deploy(other)).toBe(`The certificate of ${other} is for another host name; use a name that it has in --url.`);
});

it("a server without TLS, and one with it, are told apart", async () => {
  const plain = await portOf(createHttpServer());
  expect(await shown(`https://127.0.0.1:${plain}`)).toBe(`https://127.0.0.1:${plain} answers without TLS; use http://127.0.0.1:${plain} as --url.`);
  const tls = await portOf(createHttpsServer(firstCertificate));
  expect(await shown(`http://127.0.0.1:${tls}`)).toBe(`http://127.0.0.1:${tls} expects TLS; use https://127.0.0.1:${tls} as --url.`);
});

it("a connection that breaks leaves the outcome open, and bytes that are no HTTP do not", async () => {
  const broken = `http://127.0.0.1:${await portOf(createSocketServer((socket) => void socket.once("data", () => socket.resetAndDestroy())))}`;
  expect(await shown(broken)).toMatch(new RegExp(`^The connection to ${broken} ended before the server answered\\.\nThe server may still carry out`));
  const noise = `http://127.0.0.1:${await portOf(createSocketServer((socket) => void socket.once("data", () => socket.end("SSH-2.0-OpenSSH\r\n\r\n"))))}`;
  const failure = await attempt(noise);
  expect(explainFailure(failure), inspect(failure)).toMatch(new RegExp(`^${noise} does not answer in HTTP \\(HPE_\\w+\\); check --url\\.$`));
});

it("a port to which fetch sends nothing is named as such, and a failure without a code leaves the outcome open", async () => {
  expect(await shown("http://127.0.0.1:6666")).toBe(
    "http://127.0.0.1:6666 has a port that no request may be sent to (it belongs to another protocol); start the server on another one.",
  );
  const failure = await connectionFailure("http://h", new TypeError("fetch failed", { cause: new Error(token) }));
  expect(failure).toMatchObject({ code: "OUTCOME_UNKNOWN", message: "The connection to http://h ended before the server answered." });
});

it("nobody may listen, and a name may not exist", async () => {
  const server = createSocketServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  expect(await shown(`http://127.0.0.1:${port}`)).toBe(`No server answers at http://127.0.0.1:${port}; start one (quern start), or check --url.`);
  expect(await shown("http://nothing.invalid:8080")).toMatch(
    /^The host name of http:\/\/nothing\.invalid:8080 (?:is not known|could not be looked up)/,
  );
});

it.each([
  ["UND_ERR_CONNECT_TIMEOUT", "STORE_UNAVAILABLE", "http://h has not accepted a connection in time; check --url, and firewalls between."],
  ["UND_ERR_HEADERS_TIMEOUT", "OUTCOME_UNKNOWN", "http://h has not answered in time."],
  ["EHOSTUNREACH", "STORE_UNAVAILABLE", "There is no way to http://h in the network; check --url."],
  ["CERT_NOT_YET_VALID", "STORE_UNAVAILABLE", "The certificate of http://h is not valid yet; compare the clocks."],
  ["CERT_CHAIN_TOO_LONG", "STORE_UNAVAILABLE", "The certificate of http://h is not accepted (CERT_CHAIN_TOO_LONG)."],
  [
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "STORE_UNAVAILABLE",
    "TLS with http://h fails (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED); check --url.",
  ],
  ["EOTHER", "STORE_UNAVAILABLE", "http://h cannot be reached (EOTHER); check --url."],
])("%s is %s, and the message of the cause is not shown", async (code, kind, message) => {
  const cause = new AggregateError([Object.assign(new Error(token), { code })], token);
  expect(await connectionFailure("http://h", new TypeError("fetch failed", { cause }))).toMatchObject({ code: kind, message });
});

it("a password in the URL and a token that no header can hold are refused, and not shown", async () => {
  for (const url of ["http://ada:sesame@127.0.0.1:1/", "ftp://ada:sesame@host", "http://sesame@[::1"]) {
    expect(await shown(url)).toMatch(/^--url has a user or a password/);
  }
  for (const secret of ["sesame\nsesame", "sésame\u{2603}"])
    expect(await shown("http://127.0.0.1:1", secret)).toBe(
      "The value of the header x-service-authtoken has a line break or another character that headers cannot hold.",
    );
});
