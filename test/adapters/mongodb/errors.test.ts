// What can be wrong with the database a server is given: each in one sentence with the way out, without a password in it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { describe, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { QuernError } from "../../../core/index.ts";
import { findMongod } from "../../support/find-mongod.ts";
import { eventually } from "./eventually.ts";

async function refusal(uri: string): Promise<QuernError> {
  const storage = mongodbStorage({ uri, connectTimeoutMs: 700 });
  try {
    await storage.open();
  } catch (error) {
    assert.ok(error instanceof QuernError, String(error));
    assert.ok(!`${error.message} ${error.hint}`.includes("s3cret"));
    return error;
  } finally {
    await storage.close();
  }
  throw new Error("it opened");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("a server that is started", () => {
  it("where no MongoDB answers says so", async () => {
    const port = await freePort();
    const { code, message, hint } = await refusal(`mongodb://ann:s3cret@127.0.0.1:${port}/?replicaSet=rs0`);
    assert.deepEqual([code, message], ["STORE_UNAVAILABLE", `no MongoDB answers at 127.0.0.1:${port}`]);
    assert.match(hint ?? "", /Check that it runs/);
  });

  it("with a wrong password says so", async () => {
    const uri = inject("mongodbUri").replace("mongodb://", "mongodb://ann:s3cret@");
    const { code, message, hint } = await refusal(uri);
    assert.equal(code, "STORE_UNAVAILABLE");
    assert.match(message, /refuses these credentials$/);
    assert.match(hint ?? "", /authSource/);
  });

  it("with what is no address says what one looks like", async () => {
    const { code, hint } = await refusal("http://example.com");
    assert.equal(code, "CONFIG_INVALID");
    assert.match(hint ?? "", /mongodb:\/\/user:password@host:27017/);
    assert.throws(() => mongodbStorage({ uri: "" }), { code: "CONFIG_INVALID" });
  });

  it("on a standalone MongoDB says how to make it a replica set", async (context) => {
    const found = findMongod();
    if (found?.kind !== "binary") {
      console.log("No mongod binary is at hand: starting a standalone one is left out");
      context.skip();
      return;
    }
    const folder = await mkdtemp(join(tmpdir(), "quern-standalone-"));
    const port = await freePort();
    const mongod = spawn(found.path, ["--dbpath", folder, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"], { stdio: "ignore" });
    onTestFinished(async () => {
      mongod.kill("SIGKILL");
      await once(mongod, "exit");
      await rm(folder, { recursive: true, force: true });
    });
    await eventually(async () => {
      const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, { serverSelectionTimeoutMS: 500 });
      return await client.connect().then(
        () => client.close().then(() => true),
        () => false,
      );
    }, 20_000);
    const { code, message, hint } = await refusal(`mongodb://127.0.0.1:${port}/`);
    assert.equal(code, "STORE_UNAVAILABLE");
    assert.match(message, /is a standalone server; transactions and change streams need a replica set$/);
    assert.match(hint ?? "", /--replSet rs0.*rs\.initiate\(\)/);
  }, 60_000);
});
