// A WebSocket whose namespace is not known yet: the first message of its client says it, as browsers cannot send headers.

import { isObject, parseJson, QuernError } from "../../core/plugin.ts";
import type { HttpRequest, HttpResponse, Socket, SocketAcceptance, SocketListener } from "../../core/transport.ts";
import type { Lease } from "./open-namespaces.ts";

type Headers = HttpRequest["headers"];
export type Handshake = Omit<HttpRequest, "body">;

export interface SocketHost {
  /** How long a client may send nothing, in milliseconds. */
  readonly initMs: number;
  /** The namespace of who sends these headers, kept open; undefined for namespace 0, which always is. */
  leaseFor(headers: Headers): Lease | undefined | Promise<Lease | undefined>;
  /** Accepts the handshake in namespace 0. */
  accept(request: Handshake): SocketAcceptance | HttpResponse | PromiseLike<SocketAcceptance | HttpResponse>;
  failed(thrown: unknown): void;
  /** No longer waits. */
  settled(waiting: WaitingSocket): void;
}

/** Messages that arrive while the namespace opens; a transport that can pause delivers fewer. */
const maxEarly = 16;

/** Close codes of `graphql-ws`, and of RFC 6455 for a server that cannot serve now. */
const closeCodes = { late: 4408, forbidden: 4403, tryLater: 1013, restart: 1012 };

export class WaitingSocket implements SocketListener {
  readonly #host: SocketHost;
  readonly #request: Handshake;
  readonly #socket: Socket;
  readonly #early: string[] = [];
  readonly #silent: NodeJS.Timeout;
  #listener: SocketListener | undefined;
  #lease: Lease | undefined;
  #isSettling = false;
  #isOver = false;

  /** @param needsInit a client that sends nothing in time is disconnected; otherwise its handshake counts */
  constructor(host: SocketHost, request: Handshake, { socket, needsInit }: { readonly socket: Socket; readonly needsInit: boolean }) {
    this.#host = host;
    this.#request = request;
    this.#socket = socket;
    const silent = () => (needsInit ? this.#end(closeCodes.late, "Connection initialisation timeout") : void this.#settle(request.headers));
    this.#silent = setTimeout(silent, host.initMs);
  }

  message(text: string): void {
    if (this.#listener) this.#listener.message(text);
    else if (!this.#isOver) this.#keep(text);
  }

  /** The first one says which namespace it is. */
  #keep(text: string): void {
    this.#early.push(text);
    if (this.#early.length > maxEarly) this.#end(closeCodes.tryLater, "Too many messages before the connection was ready");
    if (this.#early.length > 1) return;
    this.#socket.pause?.();
    void this.#settle(headersOf(text, this.#request.headers));
  }

  pong(): void {
    this.#listener?.pong();
  }

  drained(): void {
    this.#listener?.drained();
  }

  leaving(): void {
    if (this.#listener) this.#listener.leaving();
    else this.#end(closeCodes.restart, "Service restart");
  }

  closed(): void {
    this.#isOver = true;
    this.#listener?.closed();
    this.#release();
  }

  async #settle(headers: Headers): Promise<void> {
    clearTimeout(this.#silent);
    if (this.#isSettling) return;
    this.#isSettling = true;
    try {
      this.#lease = await this.#host.leaseFor(headers);
      const { kernel } = this.#lease ?? {};
      const answer = await (kernel ? kernel.upgrade(this.#request) : this.#host.accept(this.#request));
      if (this.#isOver) this.#release();
      else if ("open" in answer) this.#handOver(answer);
      else this.#end(answer.status === 403 ? closeCodes.forbidden : closeCodes.tryLater, reasonIn(answer));
    } catch (thrown) {
      if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") this.#host.failed(thrown);
      this.#end(closeCodes.tryLater, "Try again later");
      this.#release();
    }
  }

  #handOver({ open }: SocketAcceptance): void {
    const listener = open(this.#socket);
    this.#listener = listener;
    this.#host.settled(this);
    this.#socket.resume?.();
    for (const text of this.#early.splice(0)) listener.message(text);
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#socket.close(code, reason);
  }

  #release(): void {
    clearTimeout(this.#silent);
    this.#host.settled(this);
    this.#lease?.release();
    this.#lease = undefined;
  }
}

/** The headers with which operations of this connection run: parameters that are texts come before those of the handshake. */
function headersOf(text: string, headers: Headers): Headers {
  const parameters = Object.entries(parametersIn(text)).filter(([, value]) => typeof value === "string" && value.trim() !== "");
  return { ...headers, ...Object.fromEntries(parameters.map(([name, value]) => [name.toLowerCase(), String(value)])) };
}

function parametersIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const message = parseJson(text);
    if (!isObject(message) || message.type !== "connection_init") return {};
    return isObject(message.payload) ? message.payload : {};
  } catch {
    return {};
  }
}

/** Close frames take 123 bytes. */
function reasonIn({ body }: HttpResponse): string {
  try {
    const answer = parseJson(String(body));
    const [first] = isObject(answer) && Array.isArray(answer.errors) ? answer.errors : [];
    return isObject(first) ? String(first.message).slice(0, 100) : "Refused";
  } catch {
    return "Refused";
  }
}
