// Addresses that do not work, and servers that are no MongoDB or a router: the driver's reason in one sentence, and never a password. None of it needs
// a MongoDB. No mongos is at hand: a server here answers `hello` as one does.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { inspect } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { explainFailure } from "../../../adapters/cli/ground/failure.ts";
import { type MongodbStorageOptions, mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { QuernError } from "../../../core/index.ts";
import { firstCertificate } from "../../support/certificates.ts";
import { freePort } from "../../support/free-port.ts";
import { wireServer } from "../mongodb/wire-server.ts";

const password = "s3cr3t";

async function refusal(uri: string, options: Omit<MongodbStorageOptions, "uri"> = {}): Promise<QuernError> {
  const storage = mongodbStorage({ uri, connectTimeoutMs: 1_000, ...options });
  const error = await storage.open().then(
    () => assert.fail("it opened"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof QuernError)) throw error;
  // Whole, with its causes and what these hold, as a log may print it.
  expect(`${inspect(error, { depth: 20, showHidden: true })} ${explainFailure(error)}`).not.toContain("s3cr");
  return error;
}

async function listening(server: { listen(port: number, host: string): unknown; address(): unknown; close(): unknown }): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server as never, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const invalid: readonly (readonly [what: string, uri: string, reason: string])[] = [
  ["an unknown option", `mongodb://ann:${password}@db:27017/?nonsense=1`, ": option nonsense is not supported"],
  ["another scheme", `http://ann:${password}@db`, ': Invalid scheme, expected connection string to start with "mongodb://" or "mongodb+srv://"'],
  ["a port beside mongodb+srv", `mongodb+srv://ann:${password}@db.example:27017/`, ": mongodb+srv URI cannot have port number"],
  ["a slash in the password", "mongodb://ann:s3cr/3t@db/", ": Password contains unescaped characters"],
  ["a part of the password that looks like an option", "mongodb://ann:x?s3cr=3t@db/", ": Password contains unescaped characters"],
  ["a forgotten host", `mongodb://ann:${password}/?replicaSet=rs0`, ""],
  ["a wrong value beside a secret one", `mongodb://db/?tls=true&tlsCertificateKeyFilePassword=${password}&authMechanism=${password}`, ""],
];

it.each(invalid)("an address with %s is refused with the driver's reason, unless that quotes a secret", async (_what, uri, reason) => {
  const { code, message, hint, cause } = await refusal(uri);
  expect([code, message, cause]).toEqual(["CONFIG_INVALID", `mongodbStorage: \`uri\` is no MongoDB address${reason}`, undefined]);
  expect(hint).toContain("mongodb://user:password@host:27017/");
});

it("an address with mongodb+srv and an unknown name says that the servers are not found, and is no fault of Quern", async () => {
  const error = await refusal(`mongodb+srv://ann:${password}@cluster.none.invalid/shop`);
  expect([error.code, error.message]).toEqual([
    "STORE_UNAVAILABLE",
    expect.stringMatching(/^the servers of cluster\.none\.invalid are not found: querySrv E/),
  ]);
  expect(explainFailure(error)).not.toContain("Unexpected error");
});

it("a file that the address names and that is not there is named", async () => {
  const { code, message } = await refusal(`mongodb://ann:${password}@127.0.0.1:1/?tls=true&tlsCAFile=/none/ca.pem`);
  expect([code, message]).toEqual([
    "CONFIG_INVALID",
    expect.stringMatching(/^mongodbStorage: a file that `uri` names cannot be read: ENOENT.*\/none\/ca\.pem/),
  ]);
});

it("a port where nothing listens, and one that says nothing, are no MongoDB that answers", async () => {
  const port = await freePort();
  const { message } = await refusal(`mongodb://ann:${password}@127.0.0.1:${port}/?replicaSet=rs0`);
  expect(message).toBe(`no MongoDB answers at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`);
  const silent = await listening(createServer(() => undefined));
  expect((await refusal(`mongodb://ann:${password}@127.0.0.1:${silent}/?replicaSet=rs0`)).message).toBe(
    `no MongoDB answers at 127.0.0.1:${silent}: Server selection timed out after 1000 ms`,
  );
});

it("names a server whose certificate nobody vouches for, and how to trust it", async () => {
  const port = await listening(createTlsServer(firstCertificate).on("tlsClientError", () => undefined));
  const { code, message, hint } = await refusal(`mongodb://ann:${password}@127.0.0.1:${port}/?replicaSet=rs0&tls=true`);
  expect([code, message]).toEqual(["STORE_UNAVAILABLE", `the certificate of MongoDB at 127.0.0.1:${port} is not trusted: self-signed certificate`]);
  expect(hint).toContain("tlsCAFile");
});

it("a server without TLS that is asked with it is named so, also where its name speaks of TLS", async () => {
  const port = await listening(createServer((socket) => socket.on("error", () => undefined).once("data", () => socket.destroy())));
  const { message, hint } = await refusal(`mongodb://ann:${password}@127.0.0.1:${port}/?replicaSet=rs0&tls=true`);
  expect(message).toMatch(new RegExp(`^MongoDB at 127\\.0\\.0\\.1:${port} takes no TLS connection: `));
  expect(hint).toContain("tls=true");
  expect((await refusal(`mongodb://ann:${password}@tls.none.invalid/?replicaSet=rs0`)).message).toMatch(
    /^no MongoDB answers at tls\.none\.invalid:27017: /,
  );
});

it("a server that ends each connection is named so", async () => {
  const port = await listening(createServer((socket) => socket.on("error", () => undefined).once("data", () => socket.end())));
  const { message, hint } = await refusal(`mongodb://ann:${password}@127.0.0.1:${port}/?replicaSet=rs0`);
  expect(message).toMatch(new RegExp(`^the connection to MongoDB at 127\\.0\\.0\\.1:${port} ends at once: `));
  expect(hint).toContain("requires TLS");
});

/** As a mongos answers. */
async function router(): Promise<{ readonly port: number; readonly commands: readonly string[] }> {
  const commands: string[] = [];
  const { port, close } = await wireServer((command) => {
    const [name = ""] = Object.keys(command);
    commands.push(name);
    if (/^(hello|ismaster)$/i.test(name))
      return {
        isWritablePrimary: true,
        ismaster: true,
        msg: "isdbgrid",
        maxBsonObjectSize: 16_777_216,
        maxMessageSizeBytes: 48_000_000,
        maxWriteBatchSize: 100_000,
        minWireVersion: 0,
        maxWireVersion: 21,
        localTime: new Date(),
        ok: 1,
      };
    return { ok: 0, errmsg: "this is no whole server", code: 59, codeName: "CommandNotFound" };
  });
  onTestFinished(close);
  return { port, commands };
}

it("a router of a sharded cluster is refused, with the option that takes it", async () => {
  const { port, commands } = await router();
  for (const options of ["", "?directConnection=true", "?replicaSet=rs0"]) {
    const { code, message, hint } = await refusal(`mongodb://127.0.0.1:${port}/${options}`);
    expect([code, message]).toEqual([
      "STORE_UNAVAILABLE",
      `MongoDB at 127.0.0.1:${port} is the router (mongos) of a sharded cluster, and nothing of Quern was tried on one`,
    ]);
    expect(hint).toContain('mongodbStorage({ uri, sharded: true, router: "unsupported" })');
  }
  const laidOut = await refusal(`mongodb://127.0.0.1:${port}/`, { sharded: true });
  expect(laidOut.message).toBe(
    `MongoDB at 127.0.0.1:${port} is the router (mongos) of a sharded cluster, and the layout \`sharded: true\` is designed for it and has not run on one`,
  );
  expect(commands).not.toContain("create");
});

it("a router is taken where the configuration says that it is unsupported, and no other value says so", async () => {
  const { port, commands } = await router();
  const { message } = await refusal(`mongodb://127.0.0.1:${port}/`, { sharded: "unsupported" });
  expect(message).toBe(`MongoDB at 127.0.0.1:${port} refused an operation: error 59`);
  expect(commands).toContain("listCollections");
  expect((await refusal(`mongodb://127.0.0.1:${port}/?replicaSet=rs0`, { sharded: "unsupported" })).message).toBe(
    `MongoDB at 127.0.0.1:${port} is a router (mongos), and no replica set`,
  );
  expect((await refusal(`mongodb://127.0.0.1:${port}/`, { sharded: true, router: "unsupported" })).message).toBe(message);
  assert.throws(() => mongodbStorage({ uri: "mongodb://db", sharded: "yes" as never }), {
    code: "CONFIG_INVALID",
    message: /`sharded` is "yes"; it must be true or false/,
  });
  assert.throws(() => mongodbStorage({ uri: "mongodb://db", router: true as never }), {
    code: "CONFIG_INVALID",
    message: /`router` is true; the only value is "unsupported"/,
  });
});
