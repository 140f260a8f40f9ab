// Several servers on one MongoDB and one bucket.

import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createServerKernel } from "../../../adapters/server/index.ts";
import { s3Files } from "../../../plugins/files/index.ts";
import { newPlace, storageName } from "../../support/storage.ts";
import { findVersitygw, noVersitygw, type S3Server, startS3 } from "../../support/versitygw.ts";
import { addPhoto, kept, photoSchema, pluginsWith, type Served, serve } from "./served.ts";

const binary = findVersitygw();
const canRun = storageName === "mongodb" && binary !== undefined;
if (storageName !== "mongodb") it.skip("three servers on one database: LevelDB lets one open it", () => {});
else if (binary === undefined) it.skip(`three servers on one bucket are left out: ${noVersitygw}`, () => {});

describe.runIf(canRun)("three servers on one database and bucket", () => {
  let bucket: S3Server;
  beforeAll(async () => {
    bucket = await startS3(binary ?? "");
  });
  afterAll(() => bucket?.stop());

  async function servers(uploadsLastMs = 3_600_000): Promise<readonly [Served, Served, Served]> {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const prefix = `${randomBytes(4).toString("hex")}/`;
    const server = async () => {
      // Each has a client of its own.
      const store = s3Files({ ...bucket, prefix });
      const plugins = pluginsWith({ store, uploadsLastMs });
      const kernel = createServerKernel({ storage: place.storage(), plugins, log: { level: "silent" } });
      await kernel.open();
      onTestFinished(() => kernel.close());
      return await serve({ kernel }, { transport: "ws", schema: photoSchema, store, folder: "" });
    };
    return [await server(), await server(), await server()];
  }

  it("take an upload at one, its ticket at another, give the file at the third, and remove it once", async () => {
    const [first, second, third] = await servers();
    const bytes = randomBytes(6 * 1024 * 1024);
    const upload = await first.ticket(bytes);
    const { data } = await second.ask(addPhoto, { variables: { upload } });
    const { url } = data.addPhoto.photo[0].image;
    expect(Buffer.from(await (await third.get(url)).arrayBuffer()).equals(bytes)).toBe(true);
    expect((await first.ask(addPhoto, { variables: { upload } })).codes).toEqual(["NOT_FOUND"]);
    await third.ask("mutation { deletePhoto(filter: {}) { numUids } }");
    await expect.poll(() => kept(first.store)).toEqual([]);
    expect((await first.get(url)).status).toBe(404);
  });

  it("go on with each other's resumable uploads, and take each byte once", async () => {
    const [first, second, third] = await servers();
    const headers = { "tus-resumable": "1.0.0" };
    const answer = await fetch(`${first.url}/files/resumable`, { method: "POST", headers: { ...headers, "upload-length": "10" } });
    const path = answer.headers.get("location") ?? "";
    const patch = async ({ url }: Served, offset: number, body: string) => {
      const about = { ...headers, "upload-offset": String(offset), "content-type": "application/offset+octet-stream" };
      return (await fetch(url + path, { method: "PATCH", headers: about, body })).status;
    };
    expect(await patch(second, 0, "01234")).toBe(204);
    const raced = await Promise.all([first, second, third].map((each) => patch(each, 5, "56789")));
    expect(raced.sort()).toEqual([204, 409, 409]);
    const { data } = await third.ask(addPhoto, { variables: { upload: path.split("/").at(-1) } });
    expect(await (await first.get(data.addPhoto.photo[0].image.url)).text()).toBe("0123456789");
    await expect.poll(() => kept(first.store)).toEqual([10]);
  });

  it("make a size of an image once, and remove it with the image", async () => {
    const [first, second, third] = await servers();
    const image = await sharp({ create: { width: 400, height: 200, channels: 3, background: "teal" } })
      .jpeg()
      .toBuffer();
    await first.ask(addPhoto, { variables: { upload: await first.ticket(image) } });
    const { data } = await second.ask("{ queryPhoto { image { url(width: 160) } } }");
    const answers = await Promise.all([first, second, third].map((each) => each.get(data.queryPhoto[0].image.url)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await expect.poll(() => kept(first.store)).toHaveLength(2);
    await third.ask("mutation { deletePhoto(filter: {}) { numUids } }");
    await expect.poll(() => kept(first.store)).toEqual([]);
  });

  it("remove what nobody has taken, also when the server that has it is gone", async () => {
    const [first, second] = await servers(3_000);
    const upload = await first.ticket("forgotten");
    await first.kernel.close();
    await expect.poll(() => kept(second.store), { timeout: 60_000 }).toEqual([]);
    expect((await second.ask(addPhoto, { variables: { upload } })).codes).toEqual(["NOT_FOUND"]);
  });
});
