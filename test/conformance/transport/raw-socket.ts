// A client of WebSockets that can also misbehave: frames are made and read byte by byte.

import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { patienceMs, waitFor } from "./time-limit.ts";

export interface Frame {
  readonly opcode: number;
  /** Packed by `permessage-deflate`. */
  readonly packed: boolean;
  readonly payload: Buffer;
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

export interface Handshake {
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in one packet with the request. */
  readonly first?: Uint8Array;
}

/** Asks for a WebSocket; resolves when the head of the answer is there, whatever it says. */
export async function handshake(url: string, { target = "/graphql", headers = {}, first = Buffer.alloc(0) }: Handshake = {}): Promise<RawSocket> {
  const lines = {
    host: "mill.example",
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const raw = new RawSocket(socket);
  socket.write(Buffer.concat([Buffer.from(`GET ${target} HTTP/1.1\r\n${head.join("")}\r\n`), first]));
  await raw.until(() => raw.head !== "" || raw.over, `the answer to the handshake GET ${target}`);
  return raw;
}

export class RawSocket {
  readonly socket: Socket;
  /** Status line and headers of the answer to the handshake. */
  head = "";
  over = false;
  readonly #frames: Frame[] = [];
  #bytes = Buffer.alloc(0);
  /** What came since, put together when a frame can be whole. */
  #chunks: Buffer[] = [];
  #missing = 0;
  #look = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#missing -= chunk.byteLength;
      if (this.#missing > 0) return;
      this.#bytes = Buffer.concat([this.#bytes, ...this.#chunks.splice(0)]);
      this.#read();
      this.#look();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.over = true;
      this.#look();
    });
  }

  get status(): number {
    return Number(this.head.split(" ")[1]);
  }

  /** In lower case; undefined when the answer has no such header. */
  header(name: string): string | undefined {
    const line = this.head.split("\r\n").find((each) => each.toLowerCase().startsWith(`${name}: `));
    return line?.slice(name.length + 2);
  }

  /** What came behind the head of an answer that is no WebSocket. */
  get rest(): string {
    return this.#bytes.toString();
  }

  send(text: string): void {
    this.socket.write(frameOf(opcodes.text, Buffer.from(text)));
  }

  bytes(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** The next frame; undefined when the connection is over. */
  async frame(): Promise<Frame | undefined> {
    await this.until(() => this.#frames.length > 0 || this.over, "the next frame of the server");
    return this.#frames.shift();
  }

  /** The next message, whatever pings come between; empty when the connection is over. */
  async text(): Promise<string> {
    let frame = await this.frame();
    while (frame?.opcode === opcodes.ping) frame = await this.frame();
    return frame?.payload.toString() ?? "";
  }

  /** The code of the next close frame; 1006 when the connection ends without one. */
  async closeCode(): Promise<number> {
    for (let frame = await this.frame(); frame !== undefined; frame = await this.frame()) {
      if (frame.opcode === opcodes.close) return frame.payload.length < 2 ? 1005 : frame.payload.readUInt16BE(0);
    }
    return 1006;
  }

  /** Resolves when the server has ended the connection. */
  async ended(): Promise<void> {
    await this.until(() => this.over, "the end of the connection");
  }

  drop(): void {
    this.socket.destroy();
  }

  /** @param what comes when it is reached, for the message when it does not */
  until(reached: () => boolean, what: string): Promise<void> {
    if (reached()) return Promise.resolve();
    waitFor(what);
    const patience = patienceMs();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(this.#missed(what, patience))), patience);
      this.#look = () => {
        if (!reached()) return;
        clearTimeout(late);
        resolve();
      };
    });
  }

  #missed(what: string, patience: number): string {
    const came =
      this.head === "" ? "nothing" : `${JSON.stringify(this.head.split("\r\n")[0])} and ${this.#bytes.length} bytes that are no whole frame`;
    return `Expected ${what}; it did not come in ${Math.round(patience)} ms. Before it came ${came}.`;
  }

  #read(): void {
    if (this.head === "") {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end === -1) return;
      this.head = this.#bytes.subarray(0, end).toString();
      this.#bytes = this.#bytes.subarray(end + 4);
    }
    if (this.status !== 101) return;
    let read = readFrame(this.#bytes);
    for (; typeof read !== "number"; read = readFrame(this.#bytes)) {
      this.#frames.push(read.frame);
      this.#bytes = this.#bytes.subarray(read.length);
    }
    this.#missing = read;
  }
}

export interface FrameOptions {
  readonly fin?: boolean;
  readonly rsv1?: boolean;
  readonly masked?: boolean;
}

export function frameOf(opcode: number, payload: Uint8Array, { fin = true, rsv1 = false, masked = true }: FrameOptions = {}): Buffer {
  const first = (fin ? 0x80 : 0) | (rsv1 ? 0x40 : 0) | opcode;
  const head = lengthOf(payload.byteLength);
  head[0] = first;
  if (!masked) return Buffer.concat([head, payload]);
  head[1] = (head[1] ?? 0) | 0x80;
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, Buffer.from(payload).map((byte, i) => byte ^ (mask[i % 4] ?? 0))]);
}

/** The frame's first two bytes and the further bytes of the length. */
function lengthOf(bytes: number): Buffer {
  if (bytes < 126) return Buffer.from([0, bytes]);
  const head = Buffer.alloc(bytes < 65_536 ? 4 : 10);
  head[1] = bytes < 65_536 ? 126 : 127;
  if (bytes < 65_536) head.writeUInt16BE(bytes, 2);
  else head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
}

/** Of a server, so without a mask. A number: so many bytes are missing at least. */
function readFrame(bytes: Buffer): { readonly frame: Frame; readonly length: number } | number {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return 1;
  const size = second & 0x7f;
  const head = size < 126 ? 2 : size === 126 ? 4 : 10;
  if (bytes.length < head) return head - bytes.length;
  const end = head + (size < 126 ? size : size === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)));
  if (bytes.length < end) return end - bytes.length;
  return { frame: { opcode: first & 0x0f, packed: (first & 0x40) !== 0, payload: bytes.subarray(head, end) }, length: end };
}
