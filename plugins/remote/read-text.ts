// Reads the body of a reply, up to a limit.

import type { Readable } from "node:stream";
import { RemoteFailure } from "./remote-failure.ts";

export interface ReadOptions {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly maxBytes: number;
  /** Hears of each part. Throws when the body is not to be read on. */
  readonly received: (bytes: number) => void;
}

/** @throws RemoteFailure when the body is longer than `maxBytes`, compressed, or cut off; it is not read to its end */
export async function readText(body: Readable, { headers, maxBytes, received }: ReadOptions): Promise<string> {
  const { "content-encoding": encoding = "identity", "content-length": announced } = headers;
  const parts: Buffer[] = [];
  let bytes = 0;
  // A loop that ends early destroys the body.
  for await (const part of body) {
    // No request asks for compression. A short body may hold a text of any length.
    if (encoding !== "identity") throw new RemoteFailure("the reply is compressed, though the request did not ask for it");
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (Math.max(bytes, Number(announced ?? 0)) > maxBytes) throw new RemoteFailure(`the reply is longer than ${maxBytes} bytes`);
    received(chunk.length);
    parts.push(chunk);
  }
  // A stream of HTTP/2 that is reset amid its body ends as one that is complete.
  if (bytes > 0 && announced !== undefined && bytes < Number(announced)) throw new RemoteFailure("the connection was closed", { passing: true });
  return Buffer.concat(parts).toString("utf8");
}
