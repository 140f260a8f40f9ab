// What a call may take before and while it runs: memory for its message, and what its client has not taken of the answer.

import type { Socket } from "node:net";
import { ServerInterceptingCall, type ServerInterceptor, status } from "@grpc/grpc-js";
import { type BodyLease, type BodyRoom, type HeldBytes, isPromise, type KernelEndpoint } from "../../core/transport.ts";

type NextCall = ConstructorParameters<typeof ServerInterceptingCall>[0];
type Listener = Parameters<ServerInterceptingCall["start"]>[0];
type Status = Parameters<ServerInterceptingCall["sendStatus"]>[0];

export interface AdmissionOptions {
  /** Bytes of the messages that were read. */
  readonly sizes: WeakMap<object, number>;
  readonly maxMessageBytes: number;
  /** The connection of a call. */
  readonly socketOf: (call: NextCall) => Socket | undefined;
}

const defaultStallMs = 30_000;
/** The slowest client of a long answer. */
const slowestBytesPerMs = 64;

export function admitting(endpoint: KernelEndpoint, options: AdmissionOptions): ServerInterceptor {
  return (_method, call) => new AdmittedCall(call, endpoint, options);
}

class AdmittedCall extends ServerInterceptingCall {
  readonly #endpoint: KernelEndpoint;
  readonly #options: AdmissionOptions;
  readonly #cut: () => void;
  readonly #stallMs: number;
  #lease: BodyLease | undefined;
  #held: HeldBytes | undefined;
  #late: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(call: NextCall, endpoint: KernelEndpoint, options: AdmissionOptions) {
    super(call);
    this.#endpoint = endpoint;
    this.#options = options;
    this.#cut = () => options.socketOf(call)?.destroy();
    this.#stallMs = endpoint.stallMs ?? defaultStallMs;
  }

  /** Nothing of the message is read before there is room for it. */
  override start(listener: Listener): void {
    super.start({
      onReceiveMetadata: (metadata) => this.#reserve(() => listener.onReceiveMetadata(metadata)),
      onReceiveMessage: (message: object) => {
        clearTimeout(this.#late);
        this.#lease?.shrink(this.#options.sizes.get(message) ?? 0);
        listener.onReceiveMessage(message);
      },
      onReceiveHalfClose: () => listener.onReceiveHalfClose(),
      onCancel: () => {
        this.#end();
        listener.onCancel();
      },
    });
  }

  override sendMessage(message: { readonly json?: Uint8Array }, callback: () => void): void {
    const bytes = message.json?.byteLength ?? 0;
    if (!this.#isOver) {
      this.#held = this.#endpoint.unsent?.open(this.#cut);
      this.#held?.update(bytes);
      this.#late = setTimeout(this.#cut, this.#stallMs + bytes / slowestBytesPerMs);
    }
    super.sendMessage(message, callback);
  }

  /** After the client has taken the message. */
  override sendStatus(sent: Status): void {
    this.#end();
    super.sendStatus(sent);
  }

  #reserve(next: () => void): void {
    const reserved = (lease: BodyLease | undefined) => {
      if (lease === undefined) this.sendStatus({ code: status.RESOURCE_EXHAUSTED, details: noRoom });
      else if (this.#isOver) lease.release();
      else this.#read(lease, next);
    };
    const { bodies = unbounded } = this.#endpoint;
    const lease = bodies.reserve(this.#options.maxMessageBytes);
    if (lease !== undefined && isPromise(lease)) void lease.then(reserved);
    else reserved(lease);
  }

  /** Who holds memory for a message sends it. */
  #read(lease: BodyLease, next: () => void): void {
    this.#lease = lease;
    this.#late = setTimeout(() => this.sendStatus({ code: status.DEADLINE_EXCEEDED, details: noMessage }), this.#stallMs);
    next();
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#late);
    this.#lease?.release();
    this.#lease = undefined;
    this.#held?.update(0);
    this.#held = undefined;
  }
}

const unbounded: BodyRoom = { reserve: () => ({ shrink: () => undefined, release: () => undefined }) };

const noRoom = "The messages of other calls take all memory that there is for them (limits.maxBufferedBytes). Try again in a moment.";
const noMessage = "The message of the call did not arrive in time.";
