// Sends a running server the files that its database refers to and that it lacks, from a folder of copies on this machine.

import { isObject, type OutsideCopy, parseJson, QuernError } from "../../../core/plugin.ts";
import { folderFiles } from "../../../plugins/files/index.ts";
import { createProgress } from "../ground/progress.ts";
import { answerIn, request, type ServerAddress } from "./server-url.ts";

interface Lacking {
  readonly key: string;
  readonly bytes: number;
  /** `the file 0x12` */
  readonly what: string;
}

/** One after the other: each is whole on the server before the next one, so that an interrupted run goes on with the rest. */
export async function sendFiles(server: ServerAddress, folder: string): Promise<OutsideCopy> {
  const store = folderFiles({ path: folder });
  const missing: string[] = [];
  let count = 0;
  let bytes = 0;
  const bar = createProgress("files");
  try {
    for await (const each of lackingAt(server)) {
      if ((await store.size(each.key)) !== each.bytes) {
        missing.push(`${each.what} (${each.key})`);
        continue;
      }
      await sendFile(server, each, store.read(each.key, { start: 0, end: each.bytes }));
      count++;
      bytes += each.bytes;
      bar.update(count, count, `${count.toLocaleString("en")} files`);
    }
  } finally {
    bar.stop();
  }
  return { count, bytes, missing };
}

async function* lackingAt(server: ServerAddress): AsyncGenerator<Lacking> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: unknown = answerOf(await answerIn(await request(server, `/files/copies?after=${after}`, { method: "GET" })));
    const { missing, next } = isObject(page) ? page : {};
    for (const each of Array.isArray(missing) ? missing : []) {
      if (isObject(each)) yield { key: String(each.key), bytes: Number(each.bytes), what: String(each.what) };
    }
    after = typeof next === "string" ? next : undefined;
  }
}

async function sendFile(server: ServerAddress, { key, bytes }: Lacking, body: AsyncIterable<Uint8Array>): Promise<void> {
  const headers = { "content-type": "application/octet-stream" };
  // A body without bytes is none.
  const init = bytes === 0 ? { method: "PUT", headers } : { method: "PUT", headers, body: streamOf(body), duplex: "half" as const };
  answerOf(await answerIn(await request(server, `/files/copies/${key}`, init)));
}

function streamOf(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (stream) => {
      const { done, value } = await pieces.next();
      if (done) stream.close();
      else stream.enqueue(value);
    },
    cancel: async () => void (await pieces.return?.()),
  });
}

function answerOf(text: string): unknown {
  const answer = parseJson(text);
  const { errors } = isObject(answer) ? answer : {};
  if (!Array.isArray(errors) || errors.length === 0) return answer;
  throw new QuernError("REQUEST_REFUSED", errors.map((each: unknown) => (isObject(each) ? String(each.message) : String(each))).join("; "));
}
