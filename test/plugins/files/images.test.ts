// Images in other sizes: `url(width:)`.

import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { prepareDeployment } from "../../../core/index.ts";
import { kernelAccess } from "../../../core/plugin.ts";
import { filesPlugin, folderFiles } from "../../../plugins/files/index.ts";
import { addPhoto, kept, newFolder, type Served, served, transports } from "./served.ts";

const noise = { type: "gaussian", mean: 128, sigma: 30 } as const;

function picture(width: number, height: number, channels: 3 | 4 = 3) {
  return sharp({ create: { width, height, channels, background: "teal", noise } });
}

async function withImage(
  at: Served,
  bytes: Uint8Array | string,
  { type = "image/jpeg", name }: { readonly type?: string; readonly name?: string } = {},
) {
  const upload = await at.ticket(bytes, name === undefined ? { type } : { type, name });
  const { codes } = await at.ask(addPhoto, { variables: { upload } });
  expect(codes).toEqual([]);
}

async function urls(at: Served, ...widths: readonly number[]): Promise<readonly (string | null)[]> {
  const fields = widths.map((width, i) => `w${i}: url(width: ${width})`);
  const { data, messages } = await at.ask(`{ queryPhoto { image { url ${fields.join(" ")} } } }`);
  expect(messages).toEqual([]);
  const { url, ...sized } = data.queryPhoto[0].image;
  return widths.map((_, i) => (sized[`w${i}`] === url ? "whole" : sized[`w${i}`]));
}

async function sized(at: Served, width: number) {
  const [url] = await urls(at, width);
  const answer = await at.get(url ?? "");
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const { format, width: w, height, orientation, exif } = await sharp(bytes).metadata();
  return { type: answer.headers.get("content-type"), format, size: [w, height], orientation, exif, bytes, headers: answer.headers };
}

describe.each(Object.keys(transports))("over %s", (transport) => {
  it("an image is given in the next of a few widths, smaller than it was sent", async () => {
    const at = await served({ transport });
    const sent = await picture(1000, 500).jpeg({ quality: 100 }).toBuffer();
    await withImage(at, sent, { name: "gull.jpeg" });
    const small = await sized(at, 300);
    expect([small.type, small.format, small.size]).toEqual(["image/jpeg", "jpeg", [320, 160]]);
    expect(small.bytes.byteLength).toBeLessThan(sent.byteLength);
    expect(small.headers.get("content-disposition")).toBe('inline; filename="gull.jpg"');
    expect((await sized(at, 320)).size).toEqual([320, 160]);
    expect((await sized(at, 321)).size).toEqual([480, 240]);
    const part = await at.get((await urls(at, 300))[0] ?? "", { range: "bytes=0-1" });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, small.bytes.subarray(0, 2)]);
    const known = await at.get((await urls(at, 300))[0] ?? "", { "if-none-match": small.headers.get("etag") ?? "" });
    expect(known.status).toBe(304);
  });
});

describe("an image in another width", () => {
  it("is never wider than it was sent", async () => {
    const at = await served();
    await withImage(at, await picture(320, 10).jpeg().toBuffer());
    expect(await urls(at, 160, 161, 320, 5000)).toEqual([expect.stringMatching(/^\/files\//), "whole", "whole", "whole"]);
  });

  it("stands upright, and tells nothing of the camera", async () => {
    const at = await served();
    const exif = { IFD0: { Copyright: "somebody" } };
    await withImage(at, await picture(400, 800).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer());
    expect((await at.ask("{ queryPhoto { image { width height } } }")).data.queryPhoto[0].image).toEqual({ width: 800, height: 400 });
    expect(await sized(at, 160)).toMatchObject({ size: [160, 80], orientation: undefined, exif: undefined });
  });

  it.each(["png", "webp", "avif", "gif", "tiff"] as const)("of %s is WebP, with what is transparent", async (format) => {
    const at = await served();
    await withImage(at, await picture(200, 100, 4).toFormat(format).toBuffer(), { type: `image/${format}` });
    expect(await sized(at, 100)).toMatchObject({ type: "image/webp", format: "webp", size: [160, 80] });
  });

  it("is at no address that was made for another width", async () => {
    const at = await served();
    await withImage(at, await picture(1000, 10).jpeg().toBuffer());
    const [narrow = "", wide = ""] = (await urls(at, 160, 320)).map(String);
    const parts = (url: string) => url.split("/").at(-1)?.split(".") ?? [];
    const [[uid, expires, width], [, , other, signature]] = [parts(narrow), parts(wide)];
    expect(width).not.toBe(other);
    for (const token of [`${uid}.${expires}.${width}.${signature}`, `${uid}.${expires}.${signature}`, `${uid}.${expires}.3.${signature}`])
      expect((await at.get(`/files/${token}`)).status).toBe(404);
    expect((await at.get(`/files/${uid}.${expires}.${other}.${signature}`)).status).toBe(200);
  });

  it("is refused for a width below one", async () => {
    const at = await served();
    await withImage(at, await picture(200, 100).jpeg().toBuffer());
    expect((await at.ask("{ queryPhoto { image { url(width: 0) } } }")).codes).toEqual(["OUT_OF_RANGE"]);
    expect((await at.ask("{ queryPhoto { image { url(width: null) } } }")).codes).toEqual([]);
  });

  it("has no address where the file is no image, an SVG, or one of too many pixels", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"/>';
    for (const [bytes, type] of [
      ["words", "text/plain"],
      [svg, "image/svg+xml"],
      ["%PDF-1.7", "application/pdf"],
    ] as const) {
      const at = await served();
      await withImage(at, bytes, { type });
      expect(await urls(at, 160)).toEqual([null]);
    }
    const large = await served({ maxImagePixels: 100_000 });
    await withImage(large, await picture(1000, 101).png().toBuffer());
    expect(await urls(large, 160, 20_000)).toEqual([null, "whole"]);
    const fits = await served({ maxImagePixels: 100_000 });
    await withImage(fits, await picture(1000, 100).png().toBuffer());
    expect((await sized(fits, 160)).size).toEqual([160, 16]);
  });

  it("is refused where the bytes are not the image that their beginning promises, and the image itself is not", async () => {
    const at = await served();
    const whole = await picture(400, 400).png().toBuffer();
    await withImage(at, whole.subarray(0, 2000));
    const [url] = await urls(at, 160);
    for (let i = 0; i < 2; i++) {
      const answer = await at.get(url ?? "");
      expect([answer.status, (await answer.json()).errors[0].extensions.code]).toEqual([415, "VALUE_INVALID"]);
    }
    expect(await kept(at.store)).toEqual([2000]);
  });

  it("is refused by the pixels that the decoder finds, whatever was known of the file", async () => {
    const at = await served({ maxImagePixels: 100_000 });
    await withImage(at, await picture(300, 300).gif().toBuffer());
    const [url = ""] = await urls(at, 160);
    const [key = ""] = await keysOf(at);
    await at.store.remove(key);
    const other = await picture(320, 320).gif().toBuffer();
    await at.store.write(
      key,
      (async function* () {
        yield other;
      })(),
    );
    const answer = await at.get(url ?? "");
    expect([answer.status, (await answer.json()).errors[0].message]).toEqual([415, expect.stringContaining("pixel limit")]);
  });
});

async function keysOf({ store }: Served): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys;
}

describe("sizes of an image", () => {
  it("are made once, also for many readers, and kept beside it", async () => {
    const at = await served();
    await withImage(at, await picture(600, 300).jpeg().toBuffer());
    const [url] = await urls(at, 160);
    const answers = await Promise.all(Array.from({ length: 8 }, () => at.get(url ?? "")));
    const bodies = await Promise.all(answers.map(async (each) => Buffer.from(await each.arrayBuffer())));
    expect(new Set(bodies.map(String)).size).toBe(1);
    expect(await kept(at.store)).toHaveLength(2);
    await sized(at, 320);
    await sized(at, 170);
    expect(await kept(at.store)).toHaveLength(3);
  });

  it("go with it, when it is replaced and when it is deleted", async () => {
    const at = await served();
    await withImage(at, await picture(600, 300).jpeg().toBuffer());
    await sized(at, 160);
    const next = await at.ticket(await picture(600, 300).png().toBuffer());
    const update = "mutation ($upload: Upload!) { updatePhoto(input: { filter: {}, set: { image: { upload: $upload } } }) { numUids } }";
    expect((await at.ask(update, { variables: { upload: next } })).codes).toEqual([]);
    await expect.poll(() => kept(at.store)).toHaveLength(1);
    expect((await sized(at, 160)).format).toBe("webp");
    await sized(at, 320);
    expect(await kept(at.store)).toHaveLength(3);
    await at.ask("mutation { deletePhoto(filter: {}) { numUids } }");
    await expect.poll(() => kept(at.store)).toEqual([]);
  });

  it("are no orphans and no part of copies, and are made again where they are missing", async () => {
    const at = await served();
    await withImage(at, await picture(600, 300).jpeg().toBuffer());
    const [original = 0] = await kept(at.store);
    await sized(at, 160);
    const { outside } = filesPlugin({ store: at.store });
    const access = kernelAccess(at.kernel, "files");
    const faults = [];
    for await (const fault of outside?.check(access, { repair: true }) ?? []) faults.push(fault);
    expect(faults).toEqual([]);
    const copy = await newFolder();
    expect(await outside?.copyTo(copy, access)).toEqual({ count: 1, bytes: original, missing: [] });
    expect(await kept(folderFiles({ path: copy }))).toEqual([original]);
    for (const key of await keysOf(at)) if ((await at.store.size(key)) !== original) await at.store.remove(key);
    expect(await kept(at.store)).toEqual([original]);
    expect((await sized(at, 160)).size).toEqual([160, 80]);
    expect(await kept(at.store)).toHaveLength(2);
    await at.ask("mutation { deletePhoto(filter: {}) { numUids } }");
    await expect.poll(() => kept(at.store)).toEqual([]);
  });

  it("have the widths of the option, which must ascend", async () => {
    const at = await served({ imageWidths: [100, 300] });
    await withImage(at, await picture(600, 300).jpeg().toBuffer());
    expect([(await sized(at, 1)).size, (await sized(at, 101)).size, (await sized(at, 599)).size]).toEqual([
      [100, 50],
      [300, 150],
      [300, 150],
    ]);
    for (const imageWidths of [[], [300, 100], [0], [1.5], [20_000]]) expect(() => filesPlugin({ imageWidths })).toThrow("imageWidths");
  });
});

describe("the API", () => {
  it("shows the argument beside the plain address", () => {
    const { api } = prepareDeployment("type Photo { id: ID!  image: File @file }", [filesPlugin()]);
    expect(api.sdl).toMatch(/url\([^)]*width: Int[^)]*\): String/);
  });
});
