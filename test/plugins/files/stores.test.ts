// Every store passes the kit. S3 is a real server.

import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { preparedSchema } from "../../../adapters/cli/stack/stack.ts";
import { memoryStorage } from "../../../adapters/memory/index.ts";
import { serve } from "../../../adapters/server/index.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { fileStoreConformance, filesAt, filesPlugin, folderFiles, s3Files } from "../../../plugins/files/index.ts";
import { findVersitygw, noVersitygw, type S3Server, startS3 } from "../../support/versitygw.ts";
import { addPhoto, kept, newFolder, photoSchema, served } from "./served.ts";

const test = (title: string, run: () => Promise<void>) => it(title, run);
const binary = findVersitygw();

describe("a folder", () => {
  fileStoreConformance({
    test,
    create: async () => {
      const path = await mkdtemp(join(tmpdir(), "quern-store-"));
      return { open: () => folderFiles({ path: join(path, "files") }), remove: () => rm(path, { recursive: true }) };
    },
  });

  it("lists what an interrupted write has left, and removes it by its key", async () => {
    const path = await newFolder();
    const store = folderFiles({ path });
    const key = randomBytes(20).toString("hex");
    await mkdir(join(path, "incoming"));
    await writeFile(join(path, "incoming", key), "half");
    await writeFile(join(path, "notes.txt"), "not of the store");
    expect(await kept(store)).toEqual([4]);
    expect(await store.size(key)).toBeUndefined();
    await store.remove(key);
    expect([await kept(store), await readdir(path)]).toEqual([[], ["incoming", "notes.txt"]]);
  });

  it("makes a path of nothing but a key", async () => {
    const store = folderFiles({ path: await newFolder() });
    const never = async function* () {};
    for (const key of ["../../etc/passwd", "", "a", `${"a".repeat(39)}/`, "A".repeat(40)]) {
      await expect(store.write(key, never())).rejects.toThrow(TypeError);
      await expect(store.size(key)).rejects.toThrow(TypeError);
      await expect(store.remove(key)).rejects.toThrow(TypeError);
    }
  });
});

if (binary === undefined) it.skip(`specs of S3 are left out: ${noVersitygw}`, () => {});

describe.runIf(binary !== undefined)("S3", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3(binary ?? "");
  });
  afterAll(() => server?.stop());

  fileStoreConformance({
    test,
    create: async () => {
      const prefix = `${randomBytes(4).toString("hex")}/files & more/`;
      return { open: () => s3Files({ ...server, prefix }), remove: () => rm(join(server.folder, prefix), { recursive: true, force: true }) };
    },
  });

  it("sees nothing of others in the bucket", async () => {
    const [ours, theirs] = ["ours/", "theirs/"].map((prefix) => s3Files({ ...server, prefix }));
    const key = randomBytes(20).toString("hex");
    await theirs?.write(key, bytesOf("theirs"));
    await writeFile(join(server.folder, "notes.txt"), "not of the store");
    expect(await ours?.size(key)).toBeUndefined();
    expect(ours && (await kept(ours))).toEqual([]);
    await ours?.remove(key);
    expect(await theirs?.size(key)).toBe(6);
  });

  it("ends what an interrupted upload in parts has left", async () => {
    const store = s3Files({ ...server, prefix: "interrupted/" });
    const key = randomBytes(20).toString("hex");
    let reached = () => {};
    const isSent = new Promise<void>((resolve) => {
      reached = resolve;
    });
    // The process that sends it never goes on, as if it had been killed.
    const endless = async function* () {
      yield Buffer.alloc(11 * 1024 * 1024);
      reached();
      await new Promise(() => {});
    };
    void store.write(key, endless());
    await isSent;
    await expect.poll(() => kept(store)).toEqual([0]);
    expect(await store.size(key)).toBeUndefined();
    await store.remove(key);
    expect(await kept(store)).toEqual([]);
  });

  it("says what is wrong: the key, the secret, the bucket", async () => {
    const problem = async (wrong: object) =>
      await s3Files({ ...server, ...wrong })
        .remove("a".repeat(40))
        .then(undefined, String);
    expect(await problem({ secretAccessKey: "wrong" })).toContain("the secret access key is wrong");
    expect(await problem({ accessKeyId: "wrong" })).toContain("it does not know the access key");
    expect(await problem({ bucket: "no-such-bucket" })).toContain("there is no such bucket");
    expect(() => s3Files({ ...server, endpoint: "no url" })).toThrow("s3Files: endpoint must be a URL");
    expect(() => s3Files({ ...server, bucket: "" })).toThrow("s3Files: bucket is missing.");
  });

  it("holds as many parts in memory as it may: further uploads wait for one, short ones do not, and who waits too long is refused", async () => {
    const store = s3Files({ ...server, prefix: "room/", maxHeldBytes: 5 * 1024 * 1024, heldWaitMs: 60_000 });
    const [first, second, short] = [aKey(), aKey(), aKey()];
    const held = heldBytes(Buffer.alloc(6 * 1024 * 1024, 1));
    const written = store.write(first, held.bytes);
    await held.isRead;
    let isRead = false;
    const waits = async function* () {
      yield Buffer.alloc(1024 * 1024, 2);
      isRead = true;
    };
    const waiting = store.write(second, waits());
    await store.write(short, bytesOf("short"));
    expect([await store.size(short), isRead]).toEqual([5, false]);
    const hasty = s3Files({ ...server, prefix: "room/", maxHeldBytes: 1, heldWaitMs: 1 });
    const other = heldBytes(Buffer.alloc(1024 * 1024));
    const takes = hasty.write(aKey(), other.bytes);
    await other.isRead;
    await expect(hasty.write(aKey(), waits())).rejects.toMatchObject({
      code: "OVERLOADED",
      message: expect.stringContaining("maxHeldBytes of s3Files"),
    });
    for (const each of [held, other]) each.end();
    await Promise.all([written, waiting, takes]);
    expect([await store.size(first), await store.size(second)]).toEqual([6 * 1024 * 1024, 1024 * 1024]);
  });

  it("gives the memory of a part back when its upload fails", async () => {
    const store = s3Files({ ...server, prefix: "failing/", maxHeldBytes: 1, heldWaitMs: 1 });
    const broken = async function* () {
      yield Buffer.alloc(6 * 1024 * 1024);
      throw new Error("the client has gone");
    };
    for (let i = 0; i < 3; i++) await expect(store.write(aKey(), broken())).rejects.toThrow("the client has gone");
    const key = aKey();
    await store.write(key, heldBytes(Buffer.alloc(1024 * 1024)).whole());
    expect(await store.size(key)).toBe(1024 * 1024);
  });

  it("holds the files of objects, from the upload to the deletion", async () => {
    const store = s3Files({ ...server, prefix: "served/" });
    const at = await served({ store });
    const bytes = randomBytes(6 * 1024 * 1024);
    const { data } = await at.ask(addPhoto, { variables: { upload: await at.ticket(bytes, { type: "application/pdf" }) } });
    const { url } = data.addPhoto.photo[0].image;
    expect(Buffer.from(await (await at.get(url)).arrayBuffer()).equals(bytes)).toBe(true);
    const part = await at.get(url, { range: "bytes=100-199" });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))]).toEqual([206, true]);
    await at.ask("mutation { deletePhoto(filter: {}) { numUids } }");
    await expect.poll(() => kept(store)).toEqual([]);
  });

  it("that is away refuses uploads with a status, and takes them when it is back", async () => {
    const away = await startS3(binary ?? "");
    try {
      const at = await served({ store: s3Files(away) });
      await away.kill();
      const refused = await at.upload("x");
      expect([refused.status, (await refused.json()).errors[0].message]).toEqual([503, "The store of files (s3) cannot be reached."]);
      await away.start();
      expect((await at.upload("x")).status).toBe(201);
    } finally {
      await away.stop();
    }
  });
});

describe("the store of an address", () => {
  it("asks for the keys of a bucket when it is used, or a server starts, and not before", async () => {
    const store = filesAt("s3://photos", {});
    expect(store.name).toBe("s3");
    await expect(store.size(aKey())).rejects.toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining("AWS_ACCESS_KEY_ID") });
    const config = { storage: memoryStorage(), transports: [wsTransport()], plugins: [filesPlugin({ store })], port: 0 };
    await expect(serve(config)).rejects.toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining("AWS_ACCESS_KEY_ID") });
  });
});

describe("a command that reads a schema with files", () => {
  it("needs nothing of the bucket that keeps them", async () => {
    process.env.QUERN_FILES_AT = "s3://photos";
    onTestFinished(() => {
      delete process.env.QUERN_FILES_AT;
    });
    expect((await preparedSchema(photoSchema, {})).api.sdl).toContain("image: File");
    expect(() => filesPlugin()).not.toThrow();
  });
});

function aKey(): string {
  return randomBytes(20).toString("hex");
}

/** Bytes whose end waits. */
function heldBytes(piece: Uint8Array) {
  let [read, end] = [() => {}, () => {}];
  const isRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  const isEnded = new Promise<void>((resolve) => {
    end = resolve;
  });
  const whole = async function* () {
    yield piece;
  };
  const bytes = (async function* () {
    yield piece;
    read();
    await isEnded;
  })();
  return { bytes, isRead, end, whole };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
