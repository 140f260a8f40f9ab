// One client's WebSocket, whichever dialect it speaks: who the client is, what runs for it, and the ways in which that ends.

import type { HttpRequest, Socket, SocketListener, StopReason } from "../../../core/index.ts";
import type { HttpContext } from "../context.ts";
import type { DecodedRequest } from "../graphql/decode-graphql.ts";
import { type Asking, subscribeDecoded } from "../graphql/subscribe.ts";
import { closeReason } from "./close-reason.ts";
import type { Dialect } from "./dialect.ts";
import type { LiveClient } from "./live-clients.ts";
import type { JsonObject } from "./message.ts";
import { Operation } from "./operation.ts";
import { operationHeaders } from "./parameters.ts";
import { PeerWatch } from "./peer-watch.ts";

export type SocketContext = Pick<HttpContext, "clients" | "introspects" | "keys" | "limits" | "log" | "persisted" | "trusted" | "subscribe">;

/** What is known of a client when it connects. */
export interface Opening {
  readonly headers: HttpRequest["headers"];
  /** A page that may run no mutation. */
  readonly isReadOnly: boolean;
}

export class Connection implements SocketListener, LiveClient {
  readonly limits: SocketContext["limits"];
  readonly #context: SocketContext;
  readonly #socket: Socket;
  readonly #upgrade: HttpRequest["headers"];
  readonly #isReadOnly: boolean;
  readonly #dialect: Dialect;
  readonly #peer: PeerWatch;
  #headers: HttpRequest["headers"];
  readonly #operations = new Map<string, Operation>();
  /** An operation has a result that the client could not take. */
  #held = false;
  #leaving = false;
  #over = false;

  constructor(context: SocketContext, socket: Socket, { headers: upgrade, isReadOnly }: Opening, dialect: (connection: Connection) => Dialect) {
    this.limits = context.limits;
    this.#context = context;
    this.#socket = socket;
    this.#upgrade = upgrade;
    this.#isReadOnly = isReadOnly;
    this.#headers = upgrade;
    this.#peer = new PeerWatch(socket, context.limits.socketPingMs);
    this.#dialect = dialect(this);
    context.clients.add(this);
  }

  message(text: string): void {
    if (this.#over || this.#leaving) return;
    this.#peer.heard();
    this.#guarded(() => this.#dialect.message(text));
  }

  pong(): void {
    this.#peer.heard();
  }

  drained(): void {
    this.#peer.heard();
    if (!this.#held) return;
    this.#held = false;
    this.#guarded(() => this.#sendHeld());
  }

  leaving(): void {
    this.leave();
  }

  /** Waits for what has had no result yet, then closes the connection. What is live gets no end: its client asks again elsewhere. */
  leave(): void {
    if (this.#leaving || this.#over) return;
    this.#leaving = true;
    for (const operation of [...this.#operations.values()]) operation.leave();
    this.#leaveWhenIdle();
  }

  closed(): void {
    this.#over = true;
    this.#peer.end();
    this.#dialect.closed();
    this.#context.clients.remove(this);
    this.#stopAll(this.#leaving ? "shutdown" : "gone");
  }

  /** Whether the client has taken all that it was sent. Who is told no is called when it has. */
  ready(): boolean {
    if (this.#over) return false;
    if (this.#socket.waiting === 0) return true;
    this.#held = true;
    return false;
  }

  /** Replaces what the client has said about itself before. */
  introduce(parameters: JsonObject): void {
    this.#headers = operationHeaders(parameters, this.#upgrade);
  }

  /** Whether the client may ask anything at all. */
  get admitted(): boolean {
    return this.#context.keys.admits({ headers: this.#headers });
  }

  /** Ends in a while, unless the timer is cleared. */
  closeUnlessIntroduced(): NodeJS.Timeout {
    return setTimeout(() => this.close(4408, "Connection initialisation timeout"), this.limits.socketInitMs);
  }

  runs(id: string): boolean {
    return this.#operations.has(id);
  }

  /** No operation more. */
  get full(): boolean {
    return this.#operations.size >= this.limits.maxOperationsPerSocket;
  }

  get fullText(): string {
    return `This connection runs ${this.limits.maxOperationsPerSocket} operations already (limits.maxOperationsPerSocket). End one of them, or open another connection.`;
  }

  /** No operation with this id runs. */
  start(id: string, decoded: DecodedRequest, asking: Pick<Asking, "subscriptionsOnly"> = {}): void {
    const operation = new Operation(this, this.#dialect, id);
    this.#operations.set(id, operation);
    operation.begin(subscribeDecoded(this.#context, decoded, { ...asking, ...this.#rights }, operation));
  }

  /** A page may write or may not by what its browser said at the upgrade, whatever it says of itself later. */
  get #rights(): Pick<Asking, "headers" | "introspects" | "queriesOnly"> {
    const headers = this.#headers;
    return { headers, queriesOnly: this.#isReadOnly, introspects: this.#context.introspects({ headers }) };
  }

  /** The client wants no more of it. False: nothing of that name runs. */
  stop(id: string): boolean {
    const operation = this.#operations.get(id);
    if (operation === undefined) return false;
    operation.stop("client");
    this.#operations.delete(id);
    return true;
  }

  /** An operation has come to its end. */
  ended(operation: Operation, frames: readonly string[]): void {
    this.#operations.delete(operation.id);
    for (const each of frames) this.send(each);
    if (this.#leaving) this.#leaveWhenIdle();
  }

  send(text: string): void {
    if (!this.#over) this.#socket.send(text);
  }

  sendIfIdle(text: string): void {
    if (!this.#over && this.#socket.waiting === 0) this.#socket.send(text);
  }

  /** @param why what runs comes to its end */
  close(code: number, reason: string, why: StopReason = "closed"): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopAll(why);
    this.#socket.close(code, closeReason(reason));
  }

  /** Whoever has sent goes to the end of the line, so that one busy operation does not starve the others. */
  #sendHeld(): void {
    for (const operation of [...this.#operations.values()]) {
      if (!this.ready()) return;
      if (operation.drained()) this.#toTheEnd(operation);
    }
  }

  /** A fault of ours costs this connection, and nobody else anything. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (fault) {
      this.#context.log(fault);
      this.close(4500, "Internal server error", "failed");
    }
  }

  #stopAll(why: StopReason): void {
    for (const operation of this.#operations.values()) operation.stop(why);
    this.#operations.clear();
  }

  #leaveWhenIdle(): void {
    if (this.#operations.size === 0) this.close(1012, "Service restart");
  }

  #toTheEnd(operation: Operation): void {
    if (this.#operations.get(operation.id) !== operation) return;
    this.#operations.delete(operation.id);
    this.#operations.set(operation.id, operation);
  }
}
