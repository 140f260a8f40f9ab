// `GET /files/...`: the bytes of a file, for who has an address that still works.

import { type HttpResponse, type KernelAccess, type NodeType, type PluginRoute, QuernError, type RouteRequest } from "../../../core/plugin.ts";
import { refusal } from "../ground/answers.ts";
import type { FilesSettings } from "../ground/options.ts";
import { type FoundSize, ImageSizes, sizedName, sizedType } from "../images/image-sizes.ts";
import { keyField } from "../records/layout.ts";
import { readSecret } from "../records/secret.ts";
import { fileTypeName } from "../schema/definitions.ts";
import { storedOf } from "../schema/read-files.ts";
import type { FileStore } from "../stores/file-store.ts";
import { missingFile } from "../stores/store-errors.ts";
import { fileHeaders, type ShownFile } from "./file-headers.ts";
import { rangeOf } from "./ranges.ts";
import { isGenuine, readToken, type Signed } from "./signed-url.ts";

export function fileRoutes(kernel: KernelAccess, settings: Pick<FilesSettings, "store" | "maxImagePixels">): readonly PluginRoute[] {
  const sizes = new ImageSizes(kernel, settings);
  const answer = async (request: RouteRequest): Promise<HttpResponse> => {
    try {
      return await fileAnswer({ kernel, store: settings.store, sizes }, request);
    } catch (thrown) {
      return refusal(thrown);
    }
  };
  // The name is for people who save the file.
  return ["/files/:token", "/files/:token/:name"].map((path) => ({ path, methods: ["GET", "HEAD"], access: "everybody", answer }));
}

interface Serving {
  readonly kernel: KernelAccess;
  readonly store: FileStore;
  readonly sizes: ImageSizes;
}

interface FoundFile extends Omit<ShownFile, "version">, Pick<Signed, "uid" | "expires" | "width"> {
  readonly sha256: string;
  readonly key: string;
  readonly node: NodeType;
}

async function fileAnswer({ kernel, store, sizes }: Serving, { headers: asked, params }: RouteRequest): Promise<HttpResponse> {
  const file = await findFile(kernel, params.token ?? "");
  const headers = fileHeaders(shownOf(file), file.expires - Date.now());
  if (isKnown(asked["if-none-match"], headers.etag)) return { status: 304, headers, body: "" };
  const { key, bytes } =
    file.width === undefined
      ? await wholeFile(file, store)
      : await sizes.at({ ...file, file: { uid: file.uid, type: file.node }, width: file.width });
  const range = isStale(asked["if-range"], headers.etag) ? "whole" : rangeOf(asked.range, bytes);
  if (range === "none") return { status: 416, headers: { "content-range": `bytes */${bytes}` }, body: "" };
  const part = range === "whole" ? { start: 0, end: bytes } : range;
  const length = { "content-length": String(part.end - part.start) };
  const placed = range === "whole" ? length : { ...length, "content-range": `bytes ${part.start}-${part.end - 1}/${bytes}` };
  return { status: range === "whole" ? 200 : 206, headers: { ...headers, ...placed }, body: "", source: store.read(key, part) };
}

async function wholeFile({ key }: FoundFile, store: FileStore): Promise<FoundSize> {
  return { key, bytes: (await store.size(key)) ?? missingFile(key) };
}

function shownOf({ name, type, sha256, width }: FoundFile): ShownFile {
  if (width === undefined) return { name, type, version: sha256 };
  return { name: name === undefined ? undefined : sizedName(name, type), type: sizedType(type), version: `${sha256}-${width}` };
}

/** @throws `NOT_FOUND`: forged, over, or of a file that is gone; nobody learns which */
async function findFile(kernel: KernelAccess, token: string): Promise<FoundFile> {
  const signed = readToken(token);
  const type = kernel.served?.model.nodeTypes.get(fileTypeName);
  if (signed === undefined || type === undefined || signed.expires <= Date.now()) throw noFile();
  const snapshot = kernel.snapshot();
  try {
    const secret = await readSecret(snapshot);
    const fields = [keyField(type), ...["name", "type", "sha256"].map((name) => storedOf(type, name))];
    const { columns } = await snapshot.load({ uids: [signed.uid], types: [type.stored], fields });
    const [key, name, media, sha256] = columns.map((column) => column[0]);
    if (secret === undefined || typeof key !== "string" || !isGenuine(signed, { secret, key })) throw noFile();
    const { uid, expires, width } = signed;
    const named = name === undefined ? undefined : String(name);
    return { uid, expires, width, key, name: named, type: String(media), sha256: String(sha256), node: type };
  } finally {
    snapshot.close();
  }
}

function noFile(): QuernError {
  return new QuernError("NOT_FOUND", "There is no file at this address, or not any more: addresses work for a few minutes.", {
    hint: "Ask the API for its url again.",
  });
}

function isKnown(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((each) => each.trim().replace(/^W\//u, "") === etag);
}

/** A part of another file than the client knows is of no use to it. */
function isStale(header: string | undefined, etag: string | undefined): boolean {
  return header !== undefined && header.trim() !== etag;
}
