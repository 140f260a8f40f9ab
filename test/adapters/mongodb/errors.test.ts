// What can be wrong with the database a server is given: each in one sentence with the way out, without a password in it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { MongoClient } from "mongodb";
import { beforeAll, describe, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { QuernError } from "../../../core/index.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { firstCertificate } from "../../support/certificates.ts";
import { freePort } from "../../support/free-port.ts";
import { mongodBinary, startReplicaSet, startsMongods } from "../../support/mongod.ts";
import { eventually } from "./eventually.ts";

async function refusal(uri: string, database?: string): Promise<QuernError> {
  const storage = mongodbStorage({ uri, connectTimeoutMs: 5_000, ...(database !== undefined && { database }) });
  try {
    await storage.open();
  } catch (error) {
    assert.ok(error instanceof QuernError, String(error));
    assert.ok(!`${error.message} ${error.hint} ${inspect(error, { depth: 20, showHidden: true })}`.includes("s3cret"));
    return error;
  } finally {
    await storage.close();
  }
  throw new Error("it opened");
}

/** A mongod on its own, without a set or not in one yet. */
async function standaloneMongod(args: readonly string[]): Promise<{ readonly port: number }> {
  const folder = await mkdtemp(join(tmpdir(), "quern-standalone-"));
  const port = await freePort();
  const place = ["--dbpath", folder, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"];
  const mongod = spawn(await mongodBinary(), [...place, ...args], { stdio: "ignore" });
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
  });
  return { port };
}

describe("a server that is started", () => {
  it("where no MongoDB answers reports that", async () => {
    const port = await freePort();
    const { code, message, hint } = await refusal(`mongodb://ann:s3cret@127.0.0.1:${port}/?replicaSet=rs0`);
    assert.deepEqual([code, message], ["STORE_UNAVAILABLE", `no MongoDB answers at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`]);
    assert.match(hint ?? "", /Check that it runs/);
  });

  it("with a wrong password reports that", async () => {
    const uri = inject("mongodbUri").replace("mongodb://", "mongodb://ann:s3cret@");
    const { code, message, hint } = await refusal(uri);
    assert.equal(code, "STORE_UNAVAILABLE");
    assert.match(message, /refuses these credentials$/);
    assert.match(hint ?? "", /authSource/);
  });

  it("with an invalid address shows a valid one", async () => {
    const { code, hint } = await refusal("http://example.com");
    assert.equal(code, "CONFIG_INVALID");
    assert.match(hint ?? "", /mongodb:\/\/user:password@host:27017/);
    assert.throws(() => mongodbStorage({ uri: "" }), { code: "CONFIG_INVALID" });
  });

  for (const [given, options] of [
    ["that is asked plainly", ""],
    ["that the address takes for a replica set", "?replicaSet=rs0"],
    ["that is asked directly", "?directConnection=true"],
  ])
    it.skipIf(!startsMongods)(
      `on a standalone MongoDB ${given} says how to make it a replica set`,
      async () => {
        const { port } = await standaloneMongod([]);
        const { code, message, hint } = await refusal(`mongodb://127.0.0.1:${port}/${options}`);
        assert.equal(code, "STORE_UNAVAILABLE");
        assert.match(message, /is a standalone server; transactions and change streams need a replica set$/);
        assert.match(hint ?? "", /--replSet rs0.*rs\.initiate\(\)/);
      },
      60_000,
    );

  it.skipIf(!startsMongods)(
    "on a replica set that nobody has initiated says so",
    async () => {
      const { port } = await standaloneMongod(["--replSet", "rs0"]);
      for (const options of ["?replicaSet=rs0", "?directConnection=true"]) {
        const { code, message, hint } = await refusal(`mongodb://127.0.0.1:${port}/${options}`);
        assert.deepEqual([code, message], ["STORE_UNAVAILABLE", `MongoDB at 127.0.0.1:${port} waits to become a replica set`]);
        assert.match(hint ?? "", /rs\.initiate\(\)/);
      }
    },
    60_000,
  );

  it("with a wrong name of the replica set names the right one", async () => {
    const { code, message, hint } = await refusal(inject("mongodbUri").replace("replicaSet=quern", "replicaSet=rs0"));
    assert.equal(code, "STORE_UNAVAILABLE");
    assert.match(message, /^the replica set of MongoDB at 127\.0\.0\.1:\d+ is called quern, the address says rs0$/);
    assert.equal(hint, "Write replicaSet=quern in the address.");
  });

  it("on a replica set whose members have names that this machine does not know says which", async () => {
    const { host } = new URL(inject("mongodbUri"));
    const members = host.replace("127.0.0.1", "db.none.x");
    const relay = createServer((socket) => {
      const mongod = connect(Number(host.split(":")[1]), "127.0.0.1");
      for (const [from, to] of [
        [socket, mongod],
        [mongod, socket],
      ] as const) {
        from.on("data", (chunk) => to.write(Buffer.from(chunk.toString("latin1").replaceAll(host, members), "latin1")));
        from.on("error", () => {}).once("close", () => to.destroy());
      }
    }).listen(0, "127.0.0.1");
    await once(relay, "listening");
    onTestFinished(() => void relay.close());
    const { port } = relay.address() as AddressInfo;
    const { message, hint } = await refusal(`mongodb://127.0.0.1:${port}/?replicaSet=quern`);
    assert.equal(message, `the replica set of MongoDB at 127.0.0.1:${port} has the members ${members}, and these do not answer`);
    assert.match(hint ?? "", /rs\.conf\(\)/);
  });

  it.skipIf(!startsMongods)(
    "on a replica set without a primary says so, and starts when there is one",
    async () => {
      const set = await startReplicaSet();
      const admin = await new MongoClient(`mongodb://127.0.0.1:${set.nodes[0]?.port}/?directConnection=true`).connect();
      onTestFinished(async () => {
        await admin.close();
        await set.stop();
      });
      await admin.db("admin").command({ replSetStepDown: 60, force: true });
      for (const uri of [set.uri, set.uri.replace(/replicaSet=\w+/, "directConnection=true")]) {
        const { code, message, hint } = await refusal(uri);
        assert.equal(code, "STORE_UNAVAILABLE");
        assert.match(message, /^MongoDB at 127\.0\.0\.1:\d+ answers, and no primary of its replica set does$/);
        assert.match(hint ?? "", /rs\.status\(\)/);
      }
      await admin.db("admin").command({ replSetFreeze: 0 });
      const storage = mongodbStorage({ uri: set.uri });
      await storage.open();
      await storage.close();
    },
    60_000,
  );
});

describe.skipIf(!startsMongods)("a MongoDB that requires TLS", () => {
  it("is served by its certificate authority, and says what is missing without it and without TLS", async () => {
    const folder = await mkdtemp(join(tmpdir(), "quern-tls-"));
    const [both, authority] = [join(folder, "both.pem"), join(folder, "authority.pem")];
    await writeFile(both, firstCertificate.cert + firstCertificate.key, { mode: 0o400 });
    await writeFile(authority, firstCertificate.cert);
    // Clients without TLS are let in until the set is made.
    const trust = ["--tlsCAFile", authority, "--tlsAllowConnectionsWithoutCertificates"];
    const set = await startReplicaSet({ args: ["--tlsMode", "preferTLS", "--tlsCertificateKeyFile", both, ...trust] });
    onTestFinished(async () => {
      await set.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const storage = mongodbStorage({ uri: `${set.uri}&tls=true&tlsCAFile=${authority}` });
    await storage.open();
    await storage.close();
    const { message } = await refusal(`${set.uri.replace("mongodb://", "mongodb://ann:s3cret@")}&tls=true`);
    assert.match(message, /^the certificate of MongoDB at 127\.0\.0\.1:\d+ is not trusted: self-signed certificate$/);
    const admin = await new MongoClient(`${set.uri}&tls=true&tlsCAFile=${authority}`).connect();
    await admin.db("admin").command({ setParameter: 1, tlsMode: "requireTLS" });
    await admin.close();
    const plain = await refusal(set.uri);
    assert.match(plain.message, /^the connection to MongoDB at 127\.0\.0\.1:\d+ ends at once: /);
    assert.match(plain.hint ?? "", /tls=true/);
  }, 60_000);
});

describe.skipIf(!startsMongods)("a MongoDB that asks for a login", () => {
  let uri: string;
  let root: MongoClient;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "quern-key-"));
    const keyFile = join(folder, "key");
    await writeFile(keyFile, randomBytes(96).toString("base64"), { mode: 0o400 });
    const set = await startReplicaSet({ args: ["--keyFile", keyFile] });
    uri = set.uri;
    // The first user may be made without a login, from this machine.
    const first = await new MongoClient(set.uri).connect();
    await first.db("admin").command({ createUser: "root", pwd: "root", roles: ["root"] });
    await first.close();
    root = await new MongoClient(as("root:root")).connect();
    const roles = ["readWrite", "dbAdmin"].map((role) => ({ role, db: "shop" }));
    await root.db("admin").command({ createUser: "quern", pwd: "s3cret", roles });
    return async () => {
      await root.close();
      await set.stop();
      await rm(folder, { recursive: true, force: true });
    };
  });

  const as = (login: string) => uri.replace("mongodb://", `mongodb://${login}@`);

  it("is served by a user with readWrite and dbAdmin on the database: deploys, writes, reads, changes, repair", async () => {
    const storage = mongodbStorage({ uri: as("quern:s3cret"), database: "shop" });
    await storage.open();
    onTestFinished(() => storage.close());
    const { version } = await storage.migrate(library, "library");
    const heard: string[] = [];
    storage.changes(({ token }) => heard.push(token));
    const { token } = await storage.transact(
      async (transaction) => {
        const [uid = 0] = await transaction.uids(1);
        await transaction.write([{ kind: "create", uid, type: "Post", fields: { "Post.rank": 7 } }]);
      },
      { version },
    );
    await eventually(() => heard.includes(token));
    const snapshot = storage.snapshot({ version });
    assert.deepEqual((await snapshot.find({ types: ["Post"], fields: ["Post.rank"] })).columns, [[7]]);
    snapshot.close();
    assert.deepEqual((await storage.verify({ repair: true })).faults, []);
    assert.equal((await storage.statistics()).nodesEstimated, 1);
    await storage.erase({ kind: "data" });
  });

  it("refuses a wrong password, an unknown user and one without a login, each with a clear message", async () => {
    for (const login of ["quern:s3cret2", "nobody:s3cret", ""]) {
      const { code, message, hint } = await refusal(login === "" ? uri : as(login));
      assert.equal(code, "STORE_UNAVAILABLE");
      assert.match(message, /^MongoDB at 127\.0\.0\.1:\d+ refuses these credentials$/);
      assert.match(hint ?? "", /readWrite and dbAdmin/);
    }
  });

  it("refuses a user who has no rights on the database", async () => {
    const { code, message } = await refusal(as("quern:s3cret"), "another");
    assert.equal(code, "STORE_UNAVAILABLE");
    assert.match(message, /refuses these credentials$/);
  });

  it("that revokes the rights refuses with a clear message, and serves when they are granted again", async () => {
    const storage = mongodbStorage({ uri: as("quern:s3cret"), database: "shop", connectTimeoutMs: 5_000 });
    await storage.open();
    onTestFinished(() => storage.close());
    const { version } = await storage.migrate(library, "library");
    const admin = root.db("admin");
    const roles = ["readWrite", "dbAdmin"].map((role) => ({ role, db: "shop" }));
    const ask = async () => await storage.snapshot({ version }).find({ types: ["Post"], fields: [] });
    const add = () =>
      storage.transact(
        async (transaction) => {
          const [uid = 0] = await transaction.uids(1);
          await transaction.write([{ kind: "create", uid, type: "Post", fields: {} }]);
        },
        { version },
      );
    await admin.command({ revokeRolesFromUser: "quern", roles });
    for (const operation of [ask, add])
      await assert.rejects(operation(), { code: "STORE_UNAVAILABLE", message: /^MongoDB refuses these credentials$/ });
    await admin.command({ grantRolesToUser: "quern", roles });
    await Promise.all([ask(), add()]);
    const heard: string[] = [];
    storage.changes(({ token }) => heard.push(token));
    const { token } = await add();
    await eventually(() => heard.includes(token));
  });
});
