import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { addPhoto, kept, pixel, served, transports } from "./served.ts";

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe.each(Object.keys(transports))("over %s", (transport) => {
  it("takes an upload by its ticket, and answers what is known of the file", async () => {
    const { ticket, ask } = await served({ transport });
    const upload = await ticket(pixel, { type: "image/png", name: "Möwe.png" });
    const { data } = await ask(addPhoto, { variables: { title: "Gull", upload } });
    expect(data.addPhoto.photo).toEqual([
      {
        id: expect.stringMatching(/^0x/),
        title: "Gull",
        image: {
          url: expect.stringMatching(/^\/files\/[\w.-]+\/M%C3%B6we\.png$/),
          name: "Möwe.png",
          type: "image/png",
          bytes: pixel.byteLength,
          width: 1,
          height: 1,
          sha256: sha256(pixel),
        },
      },
    ]);
  });

  it("gives the bytes at the address, with headers under which nothing of them runs", async () => {
    const { ticket, ask, get } = await served({ transport });
    const { data } = await ask(addPhoto, { variables: { upload: await ticket(pixel, { type: "image/png", name: "a.png" }) } });
    const answer = await get(data.addPhoto.photo[0].image.url);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(pixel);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(pixel.byteLength),
      "content-disposition": 'inline; filename="a.png"',
      "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none'/),
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      etag: `"${sha256(pixel)}"`,
    });
  });

  it("gives parts of a file, and none to a client that has it", async () => {
    const { ticket, ask, get } = await served({ transport });
    const { data } = await ask(addPhoto, { variables: { upload: await ticket("0123456789") } });
    const { url, sha256: hash } = data.addPhoto.photo[0].image;
    const part = async (range: string, more = {}) => {
      const answer = await get(url, { range, ...more });
      return [answer.status, answer.headers.get("content-range"), await answer.text()];
    };
    expect(await part("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await part("bytes=7-")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await part("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await part("bytes=8-100")).toEqual([206, "bytes 8-9/10", "89"]);
    expect(await part("bytes=10-")).toEqual([416, "bytes */10", ""]);
    expect(await part("bytes=0-1,3-4")).toEqual([200, null, "0123456789"]);
    expect(await part("bytes=2-4", { "if-range": '"another"' })).toEqual([200, null, "0123456789"]);
    expect((await get(url, { "if-none-match": `"${hash}"` })).status).toBe(304);
    expect((await get(url, { "if-none-match": '"another"' })).status).toBe(200);
  });

  it("answers HEAD with the length and without the bytes", async () => {
    const { ticket, ask, url } = await served({ transport });
    const { data } = await ask(addPhoto, { variables: { upload: await ticket("0123456789") } });
    const answer = await fetch(url + data.addPhoto.photo[0].image.url, { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, "10", ""]);
  });

  it("takes a file in pieces that has more bytes than any other body may have", async () => {
    const { url, store, kernel, ask } = await served({ transport });
    const piece = Buffer.alloc(1024 * 1024, 7);
    const pieces = Math.ceil(kernel.limits.maxBodyBytes / piece.byteLength) + 2;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let i = 0; i < pieces; i++) controller.enqueue(piece);
        controller.close();
      },
    });
    const init = { method: "POST", headers: { "content-type": "text/plain" }, body, duplex: "half" };
    const answer = await fetch(`${url}/files`, init as RequestInit);
    const received = await answer.json();
    expect([answer.status, received.bytes]).toEqual([201, pieces * piece.byteLength]);
    expect(await kept(store)).toEqual([pieces * piece.byteLength]);
    const { data } = await ask(addPhoto, { variables: { upload: received.upload } });
    const back = await fetch(url + data.addPhoto.photo[0].image.url);
    expect(sha256(Buffer.from(await back.arrayBuffer()))).toBe(received.sha256);
  });

  it("refuses a file that is too long while it arrives, and keeps nothing of it", async () => {
    const { upload, store } = await served({ transport, maxBytes: 1000 });
    const answer = await upload("x".repeat(1001));
    expect([answer.status, (await answer.json()).errors[0].extensions.code]).toEqual([413, "LIMIT_REACHED"]);
    expect(await kept(store)).toEqual([]);
    expect((await upload("x".repeat(1000))).status).toBe(201);
  });
});

describe("tickets", () => {
  it("are used once, also by two objects of one mutation", async () => {
    const { ticket, ask, store } = await served();
    const upload = await ticket("once");
    const twice = "mutation ($upload: Upload!) { addPhoto(input: [{ image: { upload: $upload } }, { image: { upload: $upload } }]) { numUids } }";
    expect((await ask(twice, { variables: { upload } })).codes).toEqual(["NOT_FOUND"]);
    expect((await ask(addPhoto, { variables: { upload } })).codes).toEqual([]);
    expect((await ask(addPhoto, { variables: { upload } })).codes).toEqual(["NOT_FOUND"]);
    expect((await ask("{ queryPhoto { image { bytes } } }")).data).toEqual({ queryPhoto: [{ image: { bytes: 4 } }] });
    expect(await kept(store)).toEqual([4]);
  });

  it("are taken by one of many mutations that want the same one", async () => {
    const { ticket, ask } = await served();
    const upload = await ticket("raced");
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(addPhoto, { variables: { upload } })));
    expect(answers.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
    expect((await ask("{ aggregatePhoto { count } }")).data).toEqual({ aggregatePhoto: { count: 1 } });
  });

  it("that nobody has given, and objects without one, are refused", async () => {
    const { ask } = await served();
    expect((await ask(addPhoto, { variables: { upload: "made-up" } })).codes).toEqual(["NOT_FOUND"]);
    expect((await ask("mutation { addPhoto(input: [{ image: {} }]) { numUids } }")).codes).toEqual(["VALUE_MISSING"]);
    expect((await ask("{ queryPhoto { id } }")).data).toEqual({ queryPhoto: [] });
  });

  it("are in no text of the database: who reads it has none", async () => {
    const { ticket, kernel } = await served();
    const upload = await ticket("hidden");
    const snapshot = kernel.storage.snapshot({ version: kernel.stored?.version ?? 0 });
    const { columns } = await snapshot.find({ types: ["files.Upload"], fields: ["files.Upload.ticket", "files.Upload.key"] });
    snapshot.close();
    expect(columns.flat()).toHaveLength(2);
    expect(columns.flat()).not.toContain(upload);
  });
});

describe("a field", () => {
  const schema = 'type Photo { id: ID!  image: File @file(maxBytes: 100, types: ["image/*", "text/plain"]) }';
  const add = "mutation ($upload: Upload!) { addPhoto(input: [{ image: { upload: $upload } }]) { photo { image { type } } } }";

  it("takes files of its size and types, and tells a client the rule that another one breaks", async () => {
    const { ticket, ask } = await served({ schema });
    const added = async (bytes: string | Uint8Array, type: string) => {
      const answer = await ask(add, { variables: { upload: await ticket(bytes, { type }) } });
      return answer.codes[0] ?? answer.data.addPhoto.photo[0].image.type;
    };
    expect(await added(pixel, "image/png")).toBe("image/png");
    expect(await added("x".repeat(100), "text/plain")).toBe("text/plain");
    expect(await added("x".repeat(101), "text/plain")).toBe("OUT_OF_RANGE");
    expect(await added("%PDF-1.7", "application/pdf")).toBe("VALUE_INVALID");
  });

  it.each([
    ["an add", "addPhoto(input: [{}, { image: { upload: $upload } }]) { numUids }", ["input", 1, "image"]],
    ["an update", "updatePhoto(input: { filter: {}, set: { image: { upload: $upload } } }) { numUids }", ["input", "set", "image"]],
    ["a nested object", "addAlbum(input: [{ photos: [{ image: { upload: $upload } }] }]) { numUids }", ["input", 0, "photos", 0, "image"]],
  ])("that refuses a file is named by its place in the input of %s", async (_what, mutation, input) => {
    const { ticket, url, ask } = await served({ schema: `${schema} type Album { id: ID!  photos: [Photo] }` });
    await ask("mutation { addPhoto(input: [{}]) { numUids } }");
    const inputs = async (upload: string) => {
      const body = JSON.stringify({ query: `mutation ($upload: Upload!) { ${mutation} }`, variables: { upload } });
      const answer = await fetch(`${url}/graphql`, { method: "POST", headers: { "content-type": "application/json" }, body });
      const { errors } = await answer.json();
      return errors.map(({ extensions }: { readonly extensions: { readonly input?: unknown } }) => extensions.input);
    };
    expect(await inputs(await ticket("x".repeat(101)))).toEqual([input]);
    expect(await inputs(await ticket("%PDF-1.7", { type: "application/pdf" }))).toEqual([input]);
    expect(await inputs("made-up")).toEqual([input]);
  });

  it("takes an image by its bytes, whatever its sender calls it", async () => {
    const { ticket, ask } = await served({ schema });
    const added = async (bytes: string | Uint8Array, type: string) =>
      (await ask(add, { variables: { upload: await ticket(bytes, { type }) } })).data?.addPhoto;
    expect(await added(pixel, "application/pdf")).toEqual({ photo: [{ image: { type: "image/png" } }] });
    expect(await added("<script>alert(1)</script>", "image/png")).toBeNull();
  });

  it("of images takes no SVG, which runs scripts, unless the schema names it", async () => {
    const { ticket, ask } = await served({ schema });
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    expect((await ask(add, { variables: { upload: await ticket(svg, { type: "image/svg+xml" }) } })).codes).toEqual(["VALUE_INVALID"]);
    const named = await served({ schema: 'type Photo { id: ID!  image: File @file(types: ["image/svg+xml"]) }' });
    const { data } = await named.ask(add.replace("{ type }", "{ url }"), {
      variables: { upload: await named.ticket(svg, { type: "image/svg+xml" }) },
    });
    const answer = await named.get(data.addPhoto.photo[0].image.url);
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment/);
  });
});

describe("a file that a browser could run", () => {
  it.each([
    ["text/html", "<script>alert(1)</script>"],
    ["image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ["application/xhtml+xml", '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ["text/xml", "<a/>"],
    ["text/javascript", "alert(1)"],
    ["application/pdf", "%PDF-1.7"],
    ["TEXT/HTML; charset=utf-8", "<script>alert(1)</script>"],
    // Its sender calls it a picture, and it is none.
    ["image/png", "<script>alert(1)</script>"],
  ])("is saved and never shown, as %s", async (type, bytes) => {
    const { ticket, ask, get } = await served();
    const { data } = await ask(addPhoto, { variables: { upload: await ticket(bytes, { type, name: "page.html" }) } });
    const { headers } = await get(data.addPhoto.photo[0].image.url);
    expect(headers.get("content-disposition")).toBe('attachment; filename="page.html"');
    expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-type")).not.toBe("image/png");
  });
});
