// Reads the body of a reply, up to a limit.

import type { Readable } from "node:stream";
import { RemoteFailure } from "./remote-failure.ts";

/** @throws RemoteFailure when the body is longer than `maxBytes`; it is not read to its end */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (bytes > maxBytes) {
      body.destroy();
      throw new RemoteFailure(`the reply is longer than ${maxBytes} bytes`);
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}
