// HTTP by hand: bytes as they are, and whatever comes back.

import { connect } from "node:net";

export interface Exchange {
  /** Everything that came until the server closed, or was silent for `quietMs` after the answer. */
  readonly text: string;
  /** `HTTP/1.1 400 Bad Request`; empty when nothing came. */
  readonly status: string;
  readonly closed: boolean;
}

export interface Delivery {
  readonly bytes: string | Uint8Array;
  /** Sent after the first piece was taken. */
  readonly later?: string | Uint8Array;
  /** Ends our side when all is sent. */
  readonly end?: boolean;
  readonly quietMs?: number;
}

/** @param answer what the text holds once the answer is there, however long that takes; empty: it may be silence */
export function deliver(port: number, { bytes, later, end = false, quietMs = 400 }: Delivery, answer = ""): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    let quiet: NodeJS.Timeout;
    const finish = (closed: boolean) => {
      clearTimeout(quiet);
      socket.destroy();
      const text = Buffer.concat(chunks).toString();
      resolve({ text, status: text.split("\r\n", 1)[0] ?? "", closed });
    };
    const wait = () => {
      clearTimeout(quiet);
      if (answer === "" || Buffer.concat(chunks).includes(answer)) quiet = setTimeout(() => finish(false), quietMs);
    };
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      wait();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => finish(true));
    socket.on("connect", () => {
      wait();
      socket.write(bytes, () => {
        if (later !== undefined) socket.write(later);
        if (end) socket.end();
      });
    });
  });
}

/** What must be in no answer: a place in the code, a folder of the machine, the text of a fault. */
export const leak = /\bat .*:\d+:\d+|node_modules|\.ts\b|\/work\/|\/tmp\/|\/home\/|a panic was trapped|\[object Object\]/;
