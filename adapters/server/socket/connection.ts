// One WebSocket in either dialect: the client's identity, its operations, and how they and the connection end.

import { CloseCode } from "graphql-ws";
import type { Limits, ResponseError, StopReason } from "../../../core/index.ts";
import { worded } from "../../../core/server.ts";
import type { HttpRequest, Socket, SocketListener } from "../../../core/transport.ts";
import type { DecodedRequest } from "../graphql/decode-graphql.ts";
import { type Asking, subscribeDecoded } from "../graphql/subscribe.ts";
import { styleOf } from "../http/refusal.ts";
import type { LiveClient } from "../parts/live-clients.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import type { Dialect } from "./dialect.ts";
import type { JsonObject } from "./message.ts";
import { Operation } from "./operation.ts";
import { operationHeaders } from "./parameters.ts";
import { PeerWatch } from "./peer-watch.ts";
import { StartQueue } from "./start-queue.ts";

/** What the upgrade request says of the client. */
export interface Opening {
  readonly headers: HttpRequest["headers"];
  readonly remoteAddress: HttpRequest["remoteAddress"];
  /** Mutations are refused: a page of another origin. */
  readonly isReadOnly: boolean;
}

/** While more than this waits for the client, no further operation begins. */
const startBelowBytes = 64 * 1024;

export class Connection implements SocketListener, LiveClient {
  readonly limits: Limits;
  readonly #server: ServerParts;
  readonly #socket: Socket;
  readonly #upgrade: HttpRequest["headers"];
  readonly #remoteAddress: HttpRequest["remoteAddress"];
  readonly #isReadOnly: boolean;
  readonly #dialect: Dialect;
  readonly #peer: PeerWatch;
  #headers: HttpRequest["headers"];
  readonly #operations = new Map<string, Operation>();
  readonly #starts: StartQueue;
  /** Characters of the message that is being read. */
  #messageLength = 0;
  /** An operation has a pending result. */
  #held = false;
  #leaving = false;
  #over = false;

  constructor(
    server: ServerParts,
    socket: Socket,
    { headers: upgrade, remoteAddress, isReadOnly }: Opening,
    dialect: (connection: Connection) => Dialect,
  ) {
    this.limits = server.kernel.limits;
    this.#server = server;
    this.#socket = socket;
    this.#upgrade = upgrade;
    this.#remoteAddress = remoteAddress;
    this.#isReadOnly = isReadOnly;
    this.#headers = upgrade;
    this.#peer = new PeerWatch(socket, server.kernel.limits.socketPingMs);
    this.#dialect = dialect(this);
    this.#starts = new StartQueue({
      maxStarting: server.kernel.limits.maxStartingPerSocket,
      isReady: () => !this.#held && socket.waiting < startBelowBytes,
      pause: () => socket.pause?.(),
      resume: () => socket.resume?.(),
    });
    server.clients.add(this);
  }

  message(text: string): void {
    if (this.#over || this.#leaving) return;
    this.#peer.heard();
    this.#messageLength = text.length;
    this.#guarded(() => this.#dialect.message(text));
  }

  pong(): void {
    this.#peer.heard();
  }

  drained(): void {
    this.#peer.heard();
    const held = this.#held;
    this.#held = false;
    this.#guarded(() => {
      if (held) this.#sendHeld();
      this.#starts.resume();
    });
  }

  leaving(): void {
    this.leave();
  }

  /** Closes after each operation has had its first result. Live queries get no end: their client reconnects and subscribes again. */
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
    this.#server.clients.remove(this);
    this.#stopAll(this.#leaving ? "shutdown" : "gone");
  }

  /** Whether the client has taken everything. If not, `drained` of the operation is called when it has. */
  ready(): boolean {
    if (this.#over) return false;
    if (this.#socket.waiting === 0) return true;
    this.#held = true;
    return false;
  }

  /** Replaces the connection parameters. */
  introduce(parameters: JsonObject): void {
    this.#headers = operationHeaders(parameters, this.#upgrade);
  }

  /** Whether the client has the API key that is required. */
  get admitted(): boolean {
    return this.#server.keys.admits({ headers: this.#headers });
  }

  /** Closes the connection after a delay, unless the timer is cleared. */
  closeUnlessIntroduced(): NodeJS.Timeout {
    return setTimeout(() => this.close(CloseCode.ConnectionInitialisationTimeout, "Connection initialisation timeout"), this.limits.socketInitMs);
  }

  runs(id: string): boolean {
    return this.#operations.has(id);
  }

  /** Whether the limit of operations is reached. */
  get full(): boolean {
    return this.#operations.size >= this.limits.maxOperationsPerSocket;
  }

  get fullErrors(): readonly ResponseError[] {
    return worded([{ code: "LIMIT_REACHED", message: this.fullText }], styleOf(this.#server.kernel));
  }

  get fullText(): string {
    return `This connection runs ${this.limits.maxOperationsPerSocket} operations already (limits.maxOperationsPerSocket). End one of them, or open another connection.`;
  }

  /** Whether no operation has this id. */
  start(id: string, decoded: DecodedRequest, asking: Pick<Asking, "subscriptionsOnly"> = {}): void {
    const operation = new Operation(this, this.#dialect, id);
    this.#operations.set(id, operation);
    const rights = this.#rights;
    this.#starts.add(operation, this.#messageLength, () => subscribeDecoded(this.#server, decoded, { ...asking, ...rights }, operation));
  }

  /** The headers of the upgrade decide whether a page may write; connection parameters cannot change that. */
  get #rights(): Pick<Asking, "caller" | "headers" | "introspects" | "queriesOnly"> {
    const headers = this.#headers;
    const caller = this.#server.callerOf({ headers, remoteAddress: this.#remoteAddress });
    return { headers, caller, queriesOnly: this.#isReadOnly, introspects: this.#server.introspects({ headers }) };
  }

  /** Stops an operation for its client. False: no operation has this id. */
  stop(id: string): boolean {
    const operation = this.#operations.get(id);
    if (operation === undefined) return false;
    operation.stop("client");
    this.#operations.delete(id);
    return true;
  }

  /** An operation has ended. */
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

  /** @param why the reason with which running operations end */
  close(code: number, reason: string, why: StopReason = "closed"): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopAll(why);
    this.#socket.close(code, closeReason(reason));
  }

  /** Round-robin: an operation that has sent goes to the end of the queue, so that a busy one does not starve the others. */
  #sendHeld(): void {
    for (const operation of [...this.#operations.values()]) {
      if (!this.ready()) return;
      if (operation.drained()) this.#toTheEnd(operation);
    }
  }

  /** A fault of the server ends this connection only. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (fault) {
      this.#server.kernel.log.fault(fault);
      this.close(CloseCode.InternalServerError, "Internal server error", "failed");
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

// Reasons of close frames, which are at most 123 bytes long.

const maxBytes = 123;

/** The longest prefix of `text` that fits, cut between characters. */
function closeReason(text: string): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) return kept;
    kept += character;
  }
  return kept;
}
