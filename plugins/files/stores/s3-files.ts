// Files in a bucket of S3, or of any server that speaks its language. What is longer than a part is sent in parts, so that a file of any length is never held.

import { createHash } from "node:crypto";
import type { AwsClient } from "aws4fetch";
import { QuernError } from "../../../core/plugin.ts";
import { type ByteRange, type FileStore, isFileKey, type KeptFile } from "./file-store.ts";
import { type Part, PartRoom } from "./part-room.ts";
import { PartReader } from "./parts.ts";
import { refusedByS3, unreachable } from "./s3-errors.ts";
import { textOf, textsOf } from "./s3-xml.ts";
import { missingFile } from "./store-errors.ts";
import { Turns } from "./turns.ts";

/** Options of `s3Files`. */
export interface S3FilesOptions {
  /** `https://s3.eu-central-1.amazonaws.com`, or the address of another server. */
  readonly endpoint: string;
  /** The bucket. It is there already, and nobody else reads it. */
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that end. */
  readonly sessionToken?: string | undefined;
  /** Default: `us-east-1`, which servers of other makers take too. */
  readonly region?: string | undefined;
  /** What keys begin with, such as `shop/`, where a bucket holds other things. Default: nothing. */
  readonly prefix?: string | undefined;
  /**
   * The most memory of uploads that are under way, in bytes. One that is longer than 128 KiB takes 5 MiB of it until its end; further ones wait. Default: 134,217,728.
   */
  readonly maxHeldBytes?: number | undefined;
  /** How long an upload waits for such memory before it is refused, in milliseconds. Default: 10,000. */
  readonly heldWaitMs?: number | undefined;
}

/** The least that S3 takes as a part which is not the last. */
const partBytes = 5 * 1024 * 1024;
/** What is shorter takes no part of the memory for parts. */
const smallBytes = 128 * 1024;
/** The client of HTTP copies what it sends. */
const sentAtOnce = 4;
/** Until an answer begins. */
const patienceMs = 60_000;
const retries = 3;

/**
 * Keeps files in a bucket. Needs the package `aws4fetch`.
 *
 * @throws QuernError `CONFIG_INVALID`
 */
export function s3Files(options: S3FilesOptions): FileStore {
  if (!URL.canParse(options.endpoint)) throw new QuernError("CONFIG_INVALID", "s3Files: endpoint must be a URL, such as https://s3.example.com.");
  for (const name of ["bucket", "accessKeyId", "secretAccessKey"] as const)
    if (typeof options[name] !== "string" || options[name] === "") throw new QuernError("CONFIG_INVALID", `s3Files: ${name} is missing.`);
  for (const name of ["maxHeldBytes", "heldWaitMs"] as const)
    if (!isCount(options[name] ?? 1)) throw new QuernError("CONFIG_INVALID", `s3Files: ${name} must be a whole number, at least 1.`);
  return new S3Files(options);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

interface Asked {
  readonly method: string;
  /** Undefined: the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
}

class S3Files implements FileStore {
  readonly name = "s3";
  readonly #options: S3FilesOptions;
  readonly #prefix: string;
  readonly #room: PartRoom;
  readonly #sending = new Turns(sentAtOnce);
  #client: Promise<AwsClient> | undefined;

  constructor(options: S3FilesOptions) {
    this.#options = options;
    this.#prefix = options.prefix ?? "";
    const { maxHeldBytes: maxBytes = 128 * 1024 * 1024, heldWaitMs: waitMs = 10_000 } = options;
    this.#room = new PartRoom({ partBytes, maxBytes, waitMs });
  }

  async write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    assertKey(key);
    const reader = new PartReader(bytes);
    try {
      const small = Buffer.allocUnsafeSlow(smallBytes);
      const length = await reader.fill(small);
      if (await reader.isOver()) await this.#put(key, small.subarray(0, length));
      else await this.#room.with((part) => this.#writeLong(key, part, { begun: small.subarray(0, length), reader }));
    } finally {
      await reader.end();
    }
  }

  async #writeLong(key: string, part: Part, { begun, reader }: { readonly begun: Uint8Array; readonly reader: PartReader }): Promise<void> {
    part.set(begun);
    const end = await reader.fill(part, begun.byteLength);
    if (await reader.isOver()) await this.#put(key, part.subarray(0, end));
    else await this.#writeParts(key, part, reader);
  }

  async *read(key: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    if (end <= start) return;
    const answer = await this.#ask({ method: "GET", key: assertKey(key), headers: { range: `bytes=${start}-${end - 1}` } });
    if (answer.status === 404) missingFile(key);
    if (answer.status !== 206 && answer.status !== 200) await refusedByS3(answer);
    if (answer.body === null) return;
    try {
      yield* answer.body;
    } catch (thrown) {
      unreachable(thrown);
    }
  }

  async size(key: string): Promise<number | undefined> {
    const answer = await this.#ask({ method: "HEAD", key: assertKey(key) });
    if (answer.status === 404) return undefined;
    if (!answer.ok) await refusedByS3(answer);
    return Number(answer.headers.get("content-length"));
  }

  async remove(key: string): Promise<void> {
    assertKey(key);
    const answer = await this.#ask({ method: "DELETE", key });
    if (!answer.ok && answer.status !== 404) await refusedByS3(answer);
    await answer.body?.cancel();
    for await (const each of this.#interrupted(key)) if (each.key === key) await this.#abort(each);
  }

  async *list(): AsyncGenerator<KeptFile> {
    for (let token: string | undefined = ""; token !== undefined; ) {
      const page = await this.#xml({ "list-type": "2", prefix: this.#prefix, ...(token !== "" && { "continuation-token": token }) });
      for (const each of textsOf(page, "Contents")) {
        const key = this.#keyOf(textOf(each, "Key"));
        if (key !== undefined) yield { key, bytes: Number(textOf(each, "Size")) };
      }
      token = textOf(page, "IsTruncated") === "true" ? textOf(page, "NextContinuationToken") : undefined;
    }
    // S3 does not say how long they are.
    for await (const { key } of this.#interrupted("")) yield { key, bytes: 0 };
  }

  async #put(key: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#sending.run(() => this.#done({ method: "PUT", key, body }));
  }

  /** `part` is full. */
  async #writeParts(key: string, part: Part, reader: PartReader): Promise<void> {
    const started = await this.#done({ method: "POST", key, query: { uploads: "" } });
    const id = textOf(started, "UploadId") ?? "";
    try {
      const tags: string[] = [];
      for (let end = part.byteLength; end > 0; end = await reader.fill(part))
        tags.push(await this.#sending.run(() => this.#putPart({ key, id }, tags.length + 1, part.subarray(0, end))));
      await this.#done({ method: "POST", key, query: { uploadId: id }, body: partList(tags) });
    } catch (thrown) {
      // What cannot be undone now, `remove` undoes.
      await this.#abort({ key, id }).catch(() => undefined);
      throw thrown;
    }
  }

  /** @returns what S3 calls it */
  async #putPart({ key, id }: Interrupted, number: number, body: Uint8Array<ArrayBuffer>): Promise<string> {
    const answer = await this.#ask({ method: "PUT", key, query: { partNumber: String(number), uploadId: id }, body });
    if (!answer.ok) await refusedByS3(answer);
    await answer.body?.cancel();
    return answer.headers.get("etag") ?? "";
  }

  async #abort({ key, id }: Interrupted): Promise<void> {
    const answer = await this.#ask({ method: "DELETE", key, query: { uploadId: id } });
    if (!answer.ok && answer.status !== 404) await refusedByS3(answer);
    await answer.body?.cancel();
  }

  async *#interrupted(key: string): AsyncGenerator<Interrupted> {
    for (let next: Readonly<Record<string, string>> | undefined = {}; next !== undefined; ) {
      const page: string = await this.#xml({ uploads: "", prefix: this.#prefix + key, ...next });
      for (const each of textsOf(page, "Upload")) {
        const found = this.#keyOf(textOf(each, "Key"));
        if (found !== undefined) yield { key: found, id: textOf(each, "UploadId") ?? "" };
      }
      const isMore = textOf(page, "IsTruncated") === "true";
      next = isMore ? { "key-marker": textOf(page, "NextKeyMarker") ?? "", "upload-id-marker": textOf(page, "NextUploadIdMarker") ?? "" } : undefined;
    }
  }

  /** Undefined: it is nothing of ours. */
  #keyOf(name: string | undefined): string | undefined {
    const key = name?.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : "";
    return isFileKey(key) ? key : undefined;
  }

  async #xml(query: Readonly<Record<string, string>>): Promise<string> {
    return await this.#done({ method: "GET", query });
  }

  /** @returns the text of an answer that is none of an error, which S3 may also send with the status 200 */
  async #done(asked: Asked): Promise<string> {
    const answer = await this.#ask(asked);
    if (!answer.ok) await refusedByS3(answer);
    const text = await answer.text().catch(unreachable);
    if (textOf(text, "Error") !== undefined) await refusedByS3(new Response(text, { status: 500 }));
    return text;
  }

  async #ask({ method, key, query = {}, headers = {}, body }: Asked): Promise<Response> {
    const { endpoint, bucket } = this.#options;
    const path =
      key === undefined
        ? ""
        : `/${[...this.#prefix.split("/"), key]
            .filter((each) => each !== "")
            .map(encodeURIComponent)
            .join("/")}`;
    const url = new URL(`${endpoint.replace(/\/+$/u, "")}/${bucket}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    this.#client ??= this.#connected();
    const client = await this.#client;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error("no answer within a minute")), patienceMs);
    const sent = { method, headers: { ...headers, "x-amz-content-sha256": sha256(body ?? "") }, redirect: "error", signal: late.signal } as const;
    try {
      return await client.fetch(url.href, body === undefined ? sent : { ...sent, body });
    } catch (thrown) {
      return unreachable(thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  async #connected(): Promise<AwsClient> {
    const { accessKeyId, secretAccessKey, sessionToken, region = "us-east-1" } = this.#options;
    const { AwsClient: Client } = await import("aws4fetch").catch((cause: unknown) => {
      throw new QuernError("CONFIG_INVALID", "s3Files needs the package aws4fetch. Run: npm install aws4fetch", { cause });
    });
    return new Client({ accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }), service: "s3", region, retries });
  }
}

interface Interrupted {
  readonly key: string;
  readonly id: string;
}

function assertKey(key: string): string {
  if (!isFileKey(key)) throw new TypeError("A key of a file is 40 hexadecimal digits.");
  return key;
}

function partList(tags: readonly string[]): string {
  const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join("")}</CompleteMultipartUpload>`;
}

function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
