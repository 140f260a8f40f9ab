// A file belongs to its object: it comes and goes with it, and its bytes go after the commit.

import { readdir, writeFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServerKernel } from "../../../adapters/server/index.ts";
import type { FileStore } from "../../../plugins/files/index.ts";
import { folderFiles } from "../../../plugins/files/index.ts";
import { temporaryKernel } from "../../support/kernel.ts";
import { fillDisk, noMount, smallDisk } from "../../support/small-disk.ts";
import { newPlace, storageName } from "../../support/storage.ts";
import { addPhoto, kept, newFolder, photoSchema, pluginsWith, type Served, serve, served } from "./served.ts";

const update =
  "mutation ($upload: Upload!) { updatePhoto(input: { filter: {}, set: { image: { upload: $upload } } }) { photo { image { bytes } } numUids } }";

async function withPhoto(bytes: string, options = {}): Promise<Served> {
  const at = await served(options);
  await at.ask(addPhoto, { variables: { title: "a", upload: await at.ticket(bytes) } });
  return at;
}

const isGone = async ({ store }: Served, sizes: readonly number[] = []) => await expect.poll(() => kept(store)).toEqual(sizes);

describe("the bytes of a file", () => {
  it("are removed when its object is deleted, and its address ends", async () => {
    const at = await withPhoto("deleted");
    const { data } = await at.ask("{ queryPhoto { image { url } } }");
    await at.ask("mutation { deletePhoto(filter: {}) { numUids } }");
    expect((await at.get(data.queryPhoto[0].image.url)).status).toBe(404);
    await isGone(at);
  });

  it("are removed when another file takes its place", async () => {
    const at = await withPhoto("first");
    const { url } = (await at.ask("{ queryPhoto { image { url } } }")).data.queryPhoto[0].image;
    const { data } = await at.ask(update, { variables: { upload: await at.ticket("the second") } });
    expect(data.updatePhoto).toEqual({ photo: [{ image: { bytes: 10 } }], numUids: 1 });
    expect((await at.get(url)).status).toBe(404);
    await isGone(at, [10]);
  });

  it("are removed when the field is emptied", async () => {
    const at = await withPhoto("emptied");
    await at.ask("mutation { updatePhoto(input: { filter: {}, remove: { image: null } }) { numUids } }");
    expect((await at.ask("{ queryPhoto { image { bytes } } }")).data).toEqual({ queryPhoto: [{ image: null }] });
    await isGone(at);
  });

  it("are removed when the object is deleted with another one", async () => {
    const schema = `type Album { id: ID!  photos: [Photo] @hasInverse(field: album) @onDelete(linked: DELETE) }
      type Photo { id: ID!  album: Album  image: File @file }`;
    const at = await served({ schema });
    const upload = await at.ticket("cascade");
    const add = "mutation ($upload: Upload!) { addAlbum(input: [{ photos: [{ image: { upload: $upload } }] }]) { numUids } }";
    expect((await at.ask(add, { variables: { upload } })).messages).toEqual([]);
    expect(await kept(at.store)).toEqual([7]);
    await at.ask("mutation { deleteAlbum(filter: {}) { numUids } }");
    expect((await at.ask("{ queryPhoto { id } }")).data).toEqual({ queryPhoto: [] });
    await isGone(at);
  });

  it("stay when the mutation that would remove them is refused", async () => {
    const schema = "type Photo { id: ID!  n: Int @range(max: 10)  image: File @file }";
    const at = await served({ schema });
    const add = "mutation ($upload: Upload!) { addPhoto(input: [{ n: 1, image: { upload: $upload } }]) { numUids } }";
    await at.ask(add, { variables: { upload: await at.ticket("stays") } });
    const upload = await at.ticket("waits");
    const refused = "mutation ($upload: Upload!) { updatePhoto(input: { filter: {}, set: { n: 11, image: { upload: $upload } } }) { numUids } }";
    expect((await at.ask(refused, { variables: { upload } })).codes).toEqual(["OUT_OF_RANGE"]);
    // The ticket is not used up.
    expect((await at.ask(update, { variables: { upload } })).codes).toEqual([]);
    await isGone(at, [5]);
  });

  it("of one object go, and those of others stay", async () => {
    const at = await withPhoto("goes");
    await at.ask(addPhoto, { variables: { title: "b", upload: await at.ticket("stays") } });
    await at.ask('mutation { deletePhoto(filter: { title: { eq: "a" } }) { numUids } }');
    await isGone(at, [5]);
    const { url } = (await at.ask("{ queryPhoto { image { url } } }")).data.queryPhoto[0].image;
    expect(await (await at.get(url)).text()).toBe("stays");
  });

  it("are removed later when the store cannot do it now", async () => {
    const folder = await newFolder();
    const whole = folderFiles({ path: folder });
    let failures = 2;
    const store: FileStore = {
      name: "failing",
      write: (key, bytes) => whole.write(key, bytes),
      read: (key, range) => whole.read(key, range),
      size: (key) => whole.size(key),
      list: () => whole.list(),
      remove: async (key) => {
        failures -= 1;
        if (failures >= 0) throw new Error("not now");
        await whole.remove(key);
      },
    };
    const at = await withPhoto("later", { store });
    await at.ask("mutation { deletePhoto(filter: {}) { numUids } }");
    await isGone(at);
    expect(failures).toBe(-1);
  });
});

describe("an upload", () => {
  it("that nothing takes is removed when its time is over, and its ticket ends", async () => {
    const at = await served({ uploadsLastMs: 2_000 });
    const upload = await at.ticket("forgotten");
    await isGone(at);
    expect((await at.ask(addPhoto, { variables: { upload } })).codes).toEqual(["NOT_FOUND"]);
  });

  it("that arrives slower than uploads may wait is refused, and leaves nothing", async () => {
    const at = await served({ uploadsLastMs: 200 });
    const over = Date.now() + 1_000;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(Buffer.from("drop"));
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (Date.now() > over) controller.close();
      },
    });
    const answer = await fetch(`${at.url}/files`, { method: "POST", body, duplex: "half" } as RequestInit);
    expect([answer.status, (await answer.json()).errors[0].message]).toEqual([403, "The upload took longer than uploads may wait (uploadsLastMs)."]);
    await isGone(at);
  });

  it("whose client breaks off leaves nothing", async () => {
    const at = await served();
    const gone = new AbortController();
    let isAsked = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isAsked) return;
        isAsked = true;
        controller.enqueue(Buffer.alloc(100_000));
      },
    });
    const init = { method: "POST", body, duplex: "half", signal: gone.signal } as RequestInit;
    const sent = fetch(`${at.url}/files`, init).catch(() => undefined);
    await expect.poll(async () => (await readdir(`${at.folder}/incoming`).catch(() => [])).length).toBe(1);
    gone.abort();
    await sent;
    await expect.poll(async () => await readdir(`${at.folder}/incoming`)).toEqual([]);
    await expect.poll(() => uploadsIn(at)).toBe(0);
  });

  it("counts for its caller, who gets no more than a share", async () => {
    const at = await served({ maxWaitingPerCaller: 2 });
    const first = await at.ticket("1");
    await at.ticket("2");
    const refused = await at.upload("3");
    expect([refused.status, refused.headers.get("retry-after"), (await refused.json()).errors[0].extensions]).toEqual([
      429,
      "10",
      { code: "TOO_MANY_REQUESTS", retryable: true, hint: expect.any(String) },
    ]);
    await at.ask(addPhoto, { variables: { upload: first } });
    expect((await at.upload("3")).status).toBe(201);
  });

  it("counts with the bytes of those that are under way", async () => {
    const at = await served({ maxWaitingBytesPerCaller: 100 });
    await at.ticket("x".repeat(60));
    expect((await at.upload("x".repeat(41))).status).toBe(429);
    expect((await at.upload("x".repeat(40))).status).toBe(201);
    expect(await kept(at.store)).toEqual([40, 60]);
  });

  it("counts for all callers together, in number and in bytes, until something takes it", async () => {
    const refusalOf = async (answer: Response) => [answer.status, (await answer.json()).errors?.[0].extensions.code];
    const few = await served({ maxWaiting: 2 });
    const first = await few.ticket("1");
    await few.ticket("2");
    expect(await refusalOf(await few.upload("3"))).toEqual([503, "OVERLOADED"]);
    await few.ask(addPhoto, { variables: { upload: first } });
    expect((await few.upload("3")).status).toBe(201);

    const short = await served({ maxWaitingBytes: 100 });
    const longest = await short.ticket("x".repeat(60));
    expect(await refusalOf(await short.upload("x".repeat(41)))).toEqual([503, "OVERLOADED"]);
    expect((await short.upload("x".repeat(40))).status).toBe(201);
    expect(await refusalOf(await short.upload("x"))).toEqual([503, "OVERLOADED"]);
    await short.ask(addPhoto, { variables: { upload: longest } });
    expect((await short.upload("x".repeat(60))).status).toBe(201);
    expect(await kept(short.store)).toEqual([40, 60, 60]);
  });

  it("is refused where too many are under way", async () => {
    const at = await served({ maxUploadsAtOnce: 1 });
    let end = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from("slow"));
        end = () => controller.close();
      },
    });
    const slow = fetch(`${at.url}/files`, { method: "POST", body, duplex: "half" } as RequestInit);
    await expect.poll(async () => (await readdir(`${at.folder}/incoming`).catch(() => [])).length).toBe(1);
    expect((await at.upload("more")).status).toBe(503);
    end();
    expect((await slow).status).toBe(201);
    expect((await at.upload("more")).status).toBe(201);
  });

  it("is refused where the schema has no fields for files", async () => {
    const at = await served({ schema: "type Note { text: String }" });
    const answer = await at.upload("for nothing");
    expect([answer.status, (await answer.json()).errors[0].message]).toEqual([403, "No field of the schema takes files."]);
  });
});

describe("a name", () => {
  it.each([
    ["../../etc/passwd", "passwd"],
    ["..", null],
    ["C:\\Windows\\cmd.exe", "cmd.exe"],
    ["a\u0000b\r\nSet-Cookie: x", "abSet-Cookie: x"],
    ["gpj.\u202egnp", "gpj.gnp"],
    ['quo"te;.txt', 'quo"te;.txt'],
    ["x".repeat(300), "x".repeat(255)],
  ])("%j becomes no path and no header of its own", async (given, name) => {
    const at = await served();
    const { data } = await at.ask(addPhoto, { variables: { upload: await at.ticket("named", { name: given }) } });
    const { image } = data.addPhoto.photo[0];
    expect(image.name).toBe(name);
    const answer = await at.get(image.url);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
    expect(await kept(at.store)).toEqual([5]);
    expect((await readdir(at.folder)).filter((each) => !/^(?:[0-9a-f]{2}|incoming)$/.test(each))).toEqual([]);
  });
});

describe("a store that cannot be written", () => {
  it("refuses with a status of its own when the disk is full, leaves nothing, and goes on when there is room", async ({ skip }) => {
    const disk = smallDisk(1024 * 1024);
    if (disk === undefined) return skip(noMount);
    const at = await served({ store: folderFiles({ path: `${disk}/files` }) });
    await at.ticket("before");
    const free = fillDisk(disk);
    const answer = await at.upload("x".repeat(200_000));
    const [{ message, extensions }] = (await answer.json()).errors;
    expect([answer.status, extensions.code, extensions.retryable]).toEqual([507, "STORE_UNAVAILABLE", true]);
    expect(message).toBe("The store of files (folder) cannot be used: the disk is full. Nothing of the file was kept.");
    expect(await kept(at.store)).toEqual([6]);
    expect(await readdir(`${disk}/files/incoming`)).toEqual([]);
    free();
    expect((await at.upload("x".repeat(200_000))).status).toBe(201);
  });

  it("says that its path is no folder", async () => {
    const folder = await newFolder();
    await writeFile(`${folder}/taken`, "");
    const at = await served({ store: folderFiles({ path: `${folder}/taken` }) });
    const answer = await at.upload("x");
    expect([answer.status, (await answer.json()).errors[0].message]).toEqual([503, expect.stringContaining("its path is no folder")]);
  });
});

describe.runIf(storageName === "mongodb")("two servers on one database and folder", () => {
  it("take each other's tickets, each once, and read each other's files", async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const folder = await newFolder();
    const server = async () => {
      const store = folderFiles({ path: folder });
      const kernel = createServerKernel({ storage: place.storage(), plugins: pluginsWith({ store }), log: { level: "silent" } });
      await kernel.open();
      onTestFinished(() => kernel.close());
      return await serve({ kernel }, { transport: "ws", schema: photoSchema, store, folder });
    };
    const [first, second] = [await server(), await server()];
    const upload = await first.ticket("shared");
    const answers = await Promise.all([first, second, first, second].map((each) => each.ask(addPhoto, { variables: { upload } })));
    const [taken, ...others] = answers.filter(({ codes }) => codes.length === 0);
    expect(others).toEqual([]);
    const url = taken?.data.addPhoto.photo[0].image.url;
    for (const each of [first, second]) expect(await (await each.get(url)).text()).toBe("shared");
    await second.ask("mutation { deletePhoto(filter: {}) { numUids } }");
    await isGone(first);
  });
});

async function uploadsIn({ kernel }: Served): Promise<number> {
  const snapshot = kernel.storage.snapshot({ version: kernel.stored?.version ?? 0 });
  try {
    return (await snapshot.find({ types: ["files.Upload"], fields: [] })).uids.length;
  } finally {
    snapshot.close();
  }
}

describe("a restart", () => {
  it("keeps files, their addresses, and tickets that wait", async () => {
    const folder = await newFolder();
    const store = folderFiles({ path: folder });
    const config = { plugins: pluginsWith({ store }) };
    const first = await temporaryKernel(config);
    const before = await serve(first, { transport: "ws", schema: photoSchema, store, folder });
    const { data } = await before.ask(addPhoto, { variables: { upload: await before.ticket("kept") } });
    const waiting = await before.ticket("waits");
    const second = await first.restart(config);
    onTestFinished(() => second.remove());
    const after = await serve(second, { transport: "ws", schema: photoSchema, store, folder });
    expect(await (await after.get(data.addPhoto.photo[0].image.url)).text()).toBe("kept");
    expect((await after.ask(addPhoto, { variables: { upload: waiting } })).codes).toEqual([]);
  });
});
