// `/files/resumable`: uploads by the tus protocol, which `@tus/server` speaks. This file brings its requests and answers together with ours.

import type { MemoryLocker, Server, Upload } from "@tus/server";
import { type HttpResponse, type KernelAccess, type PluginRoute, QuernError, type RouteRequest } from "../../../core/plugin.ts";
import { refusal } from "../ground/answers.ts";
import { newTicket } from "../records/uploads.ts";
import { mediaTypeOf } from "../schema/media-types.ts";
import { callerOf } from "./caller-of.ts";
import { fileName } from "./file-name.ts";
import type { ResumableUploads } from "./resumable.ts";

const path = "/files/resumable";

/** `@tus/server` is a peer: it is loaded with the first request. */
export function tusRoutes(kernel: KernelAccess, uploads: ResumableUploads): readonly PluginRoute[] {
  const library = onceLoaded();
  const answer = async (request: RouteRequest): Promise<HttpResponse> => {
    try {
      return await answered(request, { ...(await library()), uploads, caller: request.method === "OPTIONS" ? "" : await callerOf(kernel, request) });
    } catch (thrown) {
      const refused = refusal(thrown);
      return { ...refused, headers: { ...refused.headers, ...ofEveryAnswer } };
    }
  };
  const fixed = { access: "everybody", body: "stream", cors: "own", answer } as const;
  return [
    { ...fixed, path, methods: ["OPTIONS", "POST"] },
    { ...fixed, path: `${path}/:ticket`, methods: ["OPTIONS", "HEAD", "PATCH", "DELETE"] },
  ];
}

const ofEveryAnswer = { "tus-resumable": "1.0.0", "access-control-allow-origin": "*" };

type Library = typeof import("@tus/server");

interface Loaded {
  readonly tus: Library;
  /** Of this server: two requests for one upload follow each other. Between servers the database decides. */
  readonly locker: MemoryLocker;
}

function onceLoaded(): () => Promise<Loaded> {
  let loaded: Promise<Loaded> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

async function load(): Promise<Loaded> {
  const tus = await import("@tus/server").catch((cause: unknown) => {
    throw new QuernError("CONFIG_INVALID", "Resumable uploads need the package @tus/server, which this server does not have.", {
      cause,
      hint: "Operators: npm install @tus/server. Clients: POST the bytes to /files.",
    });
  });
  return { tus, locker: new tus.MemoryLocker() };
}

interface Answering extends Loaded {
  readonly uploads: ResumableUploads;
  readonly caller: string;
}

async function answered(request: RouteRequest, answering: Answering): Promise<HttpResponse> {
  const refused: unknown[] = [];
  const answer = await tusServer(answering, (thrown) => refused.push(thrown)).handleWeb(webRequest(request));
  const [thrown] = refused;
  if (thrown !== undefined) throw thrown;
  // The transport says how long the body is.
  const { "content-length": _length, ...headers } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers: { ...headers, "cache-control": "no-store" }, body: await answer.text() };
}

/** One for each request: it knows the caller. */
function tusServer({ tus, locker, uploads, caller }: Answering, refuse: (thrown: unknown) => void): Server {
  const found = async (ticket: string) => {
    const upload = await uploads.find(ticket, caller);
    if (upload === undefined) throw tus.ERRORS.FILE_NOT_FOUND;
    return upload;
  };
  const store = Object.assign(new tus.DataStore(), {
    extensions: ["creation", "creation-with-upload", "termination"],
    create: async (upload: Upload) => {
      const { filename, name, filetype, type } = upload.metadata ?? {};
      const about = { name: fileName(filename ?? name), type: mediaTypeOf(filetype ?? type ?? undefined) };
      await uploads.begin({ ticket: upload.id, bytes: upload.size ?? 0, ...about }, caller);
      if (upload.size === 0) await uploads.find(upload.id, caller);
      return upload;
    },
    getUpload: async (id: string) => {
      const { bytes, received } = await found(id);
      return new tus.Upload({ id, size: bytes, offset: received });
    },
    write: async (incoming: AsyncIterable<Uint8Array>, id: string, offset: number) => {
      const received = await uploads.write(id, offset, incoming, caller);
      if (received === undefined) throw tus.ERRORS.INVALID_OFFSET;
      return received;
    },
    remove: async (id: string) => await uploads.end(await found(id)),
  });
  return new tus.Server({
    path,
    datastore: store,
    locker,
    relativeLocation: true,
    namingFunction: () => newTicket(),
    // What is not the library's own is answered as everywhere else.
    onResponseError: (_request, thrown) => {
      if (thrown instanceof Error && !("status_code" in thrown)) refuse(thrown);
      return undefined;
    },
  });
}

function webRequest({ method, url, headers, incoming }: RouteRequest): Request {
  // Of a body whose length nobody has said, some transports say that it is 0.
  const { "content-length": length, ...others } = headers;
  const given = new Headers(length === undefined || length === "0" ? {} : { "content-length": length });
  for (const [name, value] of Object.entries(others)) if (value !== undefined) given.set(name, value);
  const about = { method, headers: given };
  const streamed = { ...about, body: webStream(incoming), duplex: "half" };
  return new Request(new URL(url, "http://localhost"), method === "POST" || method === "PATCH" ? streamed : about);
}

function webStream(incoming: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await pieces.return?.()),
  });
}
