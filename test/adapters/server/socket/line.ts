// The other end of a line: what a client does on a WebSocket and sees of it, without a port.

import type { HttpRequest, HttpResponse, KernelEndpoint, Socket, SocketListener } from "../../../../core/transport.ts";

export interface Asked {
  /** As the client offers them, by comma. */
  readonly protocols?: string;
  readonly headers?: HttpRequest["headers"];
  readonly url?: string;
}

/** Opens a WebSocket at the endpoint, or gives the answer that refuses it. */
export async function connect(endpoint: KernelEndpoint, { protocols, headers = {}, url = "/graphql" }: Asked = {}): Promise<Line | HttpResponse> {
  const offered = protocols === undefined ? {} : { "sec-websocket-protocol": protocols };
  const answer = await endpoint.upgrade({ method: "GET", url, headers: { upgrade: "websocket", ...offered, ...headers } });
  if (!("open" in answer)) return answer;
  const line = new Line(answer.protocol, answer.maxMessageBytes);
  line.listener = answer.open(line);
  return line;
}

/** As `connect`, where a WebSocket must come of it. */
export async function open(endpoint: KernelEndpoint, asked: Asked = {}): Promise<Line> {
  const line = await connect(endpoint, asked);
  if (line instanceof Line) return line;
  throw new Error(`The upgrade was refused: ${line.status} ${line.body}`);
}

type Frame = Readonly<Record<string, unknown>>;

export class Line implements Socket {
  readonly protocol: string | undefined;
  readonly maxMessageBytes: number;
  listener: SocketListener | undefined;
  /** Bytes that this client has not taken. */
  waiting = 0;
  pings = 0;
  /** How the server ended it: a close code with its reason, or `terminated`. */
  ended: readonly [number, string] | "terminated" | undefined;
  readonly #frames: string[] = [];
  #look = () => {};

  constructor(protocol: string | undefined, maxMessageBytes: number) {
    this.protocol = protocol;
    this.maxMessageBytes = maxMessageBytes;
  }

  /** What the client says: JSON, or a text as it is. */
  say(message: object | string): void {
    this.listener?.message(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The next `count` frames of the server, once they are there. */
  async hear(count = 1): Promise<readonly Frame[]> {
    await this.#until(() => this.#frames.length >= count);
    return this.#frames.splice(0, count).map((each) => JSON.parse(each));
  }

  /** What came and was not heard yet. */
  get unheard(): readonly Frame[] {
    return this.#frames.map((each) => JSON.parse(each));
  }

  /** The client goes. */
  leave(): void {
    this.listener?.closed();
  }

  /** The client takes everything that waits. */
  take(): void {
    this.waiting = 0;
    this.listener?.drained();
  }

  async over(): Promise<Line["ended"]> {
    await this.#until(() => this.ended !== undefined);
    return this.ended;
  }

  send(text: string): void {
    if (this.ended !== undefined) return;
    this.#frames.push(text);
    this.#look();
  }

  end(): void {
    this.close(1000, "");
  }

  ping(): void {
    this.pings++;
  }

  close(code: number, reason: string): void {
    this.#end([code, reason]);
  }

  terminate(): void {
    this.#end("terminated");
  }

  #end(how: readonly [number, string] | "terminated"): void {
    if (this.ended !== undefined) return;
    this.ended = how;
    this.#look();
    this.listener?.closed();
  }

  async #until(reached: () => boolean): Promise<void> {
    if (reached()) return;
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`Nothing more came; unheard: ${this.#frames.join(" ")}; ended: ${this.ended}`)), 5_000);
      this.#look = () => {
        if (!reached()) return;
        clearTimeout(late);
        resolve();
      };
    });
  }
}
