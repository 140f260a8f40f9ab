// Uploads that go on after an interruption, by tus and its own client.

import { randomBytes } from "node:crypto";
import * as tus from "tus-js-client";
import { describe, expect, it } from "vitest";
import { addPhoto, kept, pixel, type Served, served, transports } from "./served.ts";

const MiB = 1024 * 1024;

function sent(at: Pick<Served, "url">, bytes: Buffer, options: tus.UploadOptions = {}): Promise<tus.Upload> {
  return new Promise((resolve, reject) => {
    const upload = new tus.Upload(bytes, {
      endpoint: `${at.url}/files/resumable`,
      retryDelays: null,
      ...options,
      onError: reject,
      onSuccess: () => resolve(upload),
    });
    upload.start();
  });
}

const ticketOf = ({ url }: Pick<tus.Upload, "url">) => url?.split("/").at(-1) ?? "";

const tusHeaders = { "tus-resumable": "1.0.0" };

async function created(at: Served, bytes: number, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return await fetch(`${at.url}/files/resumable`, { method: "POST", headers: { ...tusHeaders, "upload-length": String(bytes), ...headers } });
}

async function urlOf(at: Served, bytes: number, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await created(at, bytes, headers);
  expect(answer.status).toBe(201);
  return at.url + answer.headers.get("location");
}

const patch = (url: string, offset: number, body: Uint8Array | ReadableStream, more: RequestInit = {}) =>
  fetch(url, {
    method: "PATCH",
    headers: { ...tusHeaders, "upload-offset": String(offset), "content-type": "application/offset+octet-stream" },
    body,
    duplex: "half",
    ...more,
  } as RequestInit);

async function offsetOf(url: string): Promise<string | number | null> {
  const answer = await fetch(url, { method: "HEAD", headers: tusHeaders });
  return answer.status === 200 ? answer.headers.get("upload-offset") : answer.status;
}

describe.each(Object.keys(transports))("over %s", (transport) => {
  it("an upload is resumed where it was broken off, and taken as any other", async () => {
    const at = await served({ transport });
    const bytes = randomBytes(12 * MiB);
    const url = await urlOf(at, bytes.byteLength, { "upload-metadata": `filename ${btoa("gull.bin")},filetype ${btoa("application/x-gull")}` });
    const gone = new AbortController();
    let isAsked = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isAsked) return new Promise(() => {});
        isAsked = true;
        controller.enqueue(bytes.subarray(0, 6 * MiB));
      },
    });
    const broken = patch(url, 0, body, { signal: gone.signal }).catch(() => undefined);
    await expect.poll(() => kept(at.store)).toEqual([MiB, 5 * MiB]);
    gone.abort();
    await broken;
    await expect.poll(() => offsetOf(url)).toBe(String(6 * MiB));
    const resumed: number[] = [];
    const upload = await sent(at, bytes, { uploadUrl: url, chunkSize: 4 * MiB, onChunkComplete: (_size, all) => resumed.push(all) });
    expect(resumed).toEqual([10 * MiB, 12 * MiB]);
    const { data } = await at.ask(addPhoto, { variables: { upload: ticketOf(upload) } });
    const { image } = data.addPhoto.photo[0];
    expect(image).toMatchObject({ name: "gull.bin", type: "application/x-gull", bytes: bytes.byteLength });
    expect(Buffer.from(await (await at.get(image.url)).arrayBuffer()).equals(bytes)).toBe(true);
    await expect.poll(() => kept(at.store)).toEqual([bytes.byteLength]);
    expect(await offsetOf(url)).toBe(404);
  });

  it("an upload is ended by its client, and its bytes go", async () => {
    const at = await served({ transport });
    const url = await urlOf(at, 100);
    expect((await patch(url, 0, Buffer.alloc(60))).status).toBe(204);
    await expect.poll(() => kept(at.store)).toEqual([60]);
    await tus.Upload.terminate(url);
    expect([await offsetOf(url), (await patch(url, 60, Buffer.alloc(40))).status]).toEqual([404, 404]);
    await expect.poll(() => kept(at.store)).toEqual([]);
  });

  it("pages of other origins may send, and see what they need", async () => {
    const at = await served({ transport });
    const asked = await fetch(`${at.url}/files/resumable`, { method: "OPTIONS", headers: { origin: "https://a.example" } });
    expect(asked.status).toBe(204);
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": expect.stringContaining("PATCH"),
      "access-control-allow-headers": expect.stringMatching(/Upload-Offset/i),
      "tus-extension": "creation,creation-with-upload,termination",
    });
    const answer = await created(at, 1);
    expect(answer.headers.get("access-control-expose-headers")).toMatch(/Location/);
    expect(answer.headers.get("location")).toMatch(/^\/files\/resumable\/[\w-]{32}$/);
  });
});

describe("a resumable upload", () => {
  it("of a whole file in one request is one too, an image among them, and so is one without bytes", async () => {
    const at = await served();
    const upload = await sent(at, pixel, { uploadDataDuringCreation: true, metadata: { filename: "a.png" } });
    const { data } = await at.ask(addPhoto, { variables: { upload: ticketOf(upload) } });
    expect(data.addPhoto.photo[0].image).toMatchObject({ type: "image/png", width: 1, name: "a.png", bytes: pixel.byteLength });
    const empty = new URL(await urlOf(at, 0)).pathname.split("/").at(-1);
    expect((await at.ask(addPhoto, { variables: { upload: empty } })).data.addPhoto.photo[0].image).toMatchObject({ bytes: 0 });
  });

  it("is not taken before all of it is there", async () => {
    const at = await served();
    const url = await urlOf(at, 10);
    await patch(url, 0, Buffer.alloc(9));
    expect((await at.ask(addPhoto, { variables: { upload: ticketOf({ url }) } })).codes).toEqual(["NOT_FOUND"]);
    await patch(url, 9, Buffer.alloc(1));
    expect((await at.ask(addPhoto, { variables: { upload: ticketOf({ url }) } })).codes).toEqual([]);
  });

  it("takes each byte once, from the place where it is", async () => {
    const at = await served();
    const url = await urlOf(at, 10);
    expect((await patch(url, 0, Buffer.from("01234"))).headers.get("upload-offset")).toBe("5");
    for (const offset of [0, 4, 6]) expect((await patch(url, offset, Buffer.from("x"))).status).toBe(409);
    expect((await patch(url, 5, Buffer.alloc(6))).status).toBe(413);
    expect(await offsetOf(url)).toBe("5");
    const raced = await Promise.all([1, 2, 3].map(() => patch(url, 5, Buffer.from("56789"))));
    expect(raced.map(({ status }) => status).sort()).toEqual([204, 409, 409]);
    const { data } = await at.ask(addPhoto, { variables: { upload: ticketOf({ url }) } });
    expect(await (await at.get(data.addPhoto.photo[0].image.url)).text()).toBe("0123456789");
  });

  it("is refused with a status where it is too long, its caller has no room, or all together have none", async () => {
    const at = await served({ maxBytes: 1000, maxWaitingBytesPerCaller: 1500, maxWaitingBytes: 1200 });
    const refusal = async (bytes: number) => {
      const answer = await created(at, bytes);
      return [answer.status, (await answer.json().catch(() => undefined))?.errors[0].extensions.code];
    };
    expect(await refusal(1001)).toEqual([413, "LIMIT_REACHED"]);
    const url = await urlOf(at, 1000);
    // What is still to come counts too, for every way to upload.
    expect(await refusal(201)).toEqual([503, "OVERLOADED"]);
    expect((await at.upload("x".repeat(201))).status).toBe(503);
    expect((await at.upload("x".repeat(200))).status).toBe(201);
    expect(await refusal(501)).toEqual([429, "TOO_MANY_REQUESTS"]);
    await tus.Upload.terminate(url);
    await expect.poll(async () => (await created(at, 900)).status).toBe(201);
    await expect(sent(at, Buffer.alloc(1001))).rejects.toMatchObject({ originalResponse: expect.anything() });
  });

  it("is refused without the header of the protocol, without a schema for files, and by who refuses callers", async () => {
    const at = await served();
    expect((await fetch(`${at.url}/files/resumable`, { method: "POST", headers: { "upload-length": "1" } })).status).toBe(412);
    expect([await offsetOf(`${at.url}/files/resumable/unknown`), (await fetch(`${at.url}/files/resumable/x`)).status]).toEqual([404, 405]);
    const none = await served({ schema: "type Note { text: String }" });
    const answer = await created(none, 1);
    expect([answer.status, answer.headers.get("tus-resumable"), (await answer.json()).errors[0].message]).toEqual([
      403,
      "1.0.0",
      "No field of the schema takes files.",
    ]);
  });

  it("that nobody goes on with is removed when its time is over, and each piece gives it time", async () => {
    const at = await served({ uploadsLastMs: 2_000 });
    const url = await urlOf(at, 100);
    await patch(url, 0, Buffer.alloc(60));
    expect(await kept(at.store)).toEqual([60]);
    await expect.poll(() => kept(at.store), { timeout: 20_000 }).toEqual([]);
    expect(await offsetOf(url)).toBe(404);
  });

  it("of a user is no other user's", async () => {
    const schema = `type Photo { id: ID!  image: File @file }
# Service.Authorization {"Header":"Authorization","Namespace":"https://a.example/claims","VerificationKey":"secret","Algo":"HS256"}`;
    const at = await served({ schema });
    const [ada, bob] = await Promise.all(["ada", "bob"].map(async (name) => ({ authorization: await tokenOf(name) })));
    const url = await urlOf(at, 10, ada);
    const status = async (headers = {}) => (await fetch(url, { method: "HEAD", headers: { ...tusHeaders, ...headers } })).status;
    expect([await status(ada), await status(bob), await status()]).toEqual([200, 404, 404]);
    const broken = await created(at, 10, { authorization: "Bearer broken" });
    expect([401, 400]).toContain(broken.status);
  });
});

async function tokenOf(name: string): Promise<string> {
  const { SignJWT } = await import("jose");
  const token = new SignJWT({ "https://a.example/claims": { USER: name } }).setProtectedHeader({ alg: "HS256" }).setSubject(name);
  return await token.setExpirationTime("1h").sign(new TextEncoder().encode("secret"));
}
