// Every store passes the kit. S3 is a real server.

import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileStoreConformance, folderFiles, s3Files } from "../../../plugins/files/index.ts";
import { findVersitygw, noVersitygw, type S3Server, startS3 } from "../../support/versitygw.ts";
import { addPhoto, kept, newFolder, served } from "./served.ts";

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

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
