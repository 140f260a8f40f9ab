// Bodies of answers as Fetch streams, which give the next piece when their reader has taken the one before.

import type { HttpResponse, Outlet, OutletListener, Unsent } from "../../core/transport.ts";
import { defaultStallMs } from "./answer-request.ts";

type BodyStream = NonNullable<HttpResponse["stream"]>;
type Controller = ReadableStreamDefaultController<Uint8Array>;

/** What bounds that which a body holds for its reader. */
export interface HoldOptions {
  /** Counts the bytes. Undefined: nobody counts. */
  readonly unsent?: Unsent | undefined;
  /** How long the reader may take nothing, in milliseconds; then its stream fails. Default: 30,000. */
  readonly stallMs?: number | undefined;
  /** Calls its listener when the client has gone: not every host cancels the body then. */
  readonly onGone?: ((listener: () => void) => void) | undefined;
  /** Gets what a stream throws when it starts. */
  readonly fault?: ((thrown: unknown) => void) | undefined;
}

/**
 * A streamed body. It starts at the first read: one that is replaced by another never starts.
 *
 * @param hold undefined: the reader is trusted to read
 */
export function readableBody(stream: BodyStream, hold?: HoldOptions): ReadableStream<Uint8Array> {
  let outlet: StreamOutlet | undefined;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (outlet !== undefined) return outlet.drained();
        outlet = new StreamOutlet(controller, hold);
        // Hosts send the head of an answer with the first piece of its body.
        controller.enqueue(nothing);
        try {
          outlet.start(stream);
        } catch (thrown) {
          hold?.fault?.(thrown);
          throw thrown;
        }
      },
      cancel: () => outlet?.closed(),
    },
    // No read-ahead.
    { highWaterMark: 0, size: (piece) => piece.byteLength },
  );
}

const nothing = new Uint8Array(0);

/** A long body; each piece is handed over when the one before is read. @param hold as for `readableBody` */
export function readablePieces(pieces: readonly Uint8Array[], hold?: HoldOptions): ReadableStream<Uint8Array> {
  const rest = pieces.values();
  let bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  let held: Hold | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        held = hold && new Hold(hold, () => controller.error(new Error(cutOff)));
        held?.update(bytes);
      },
      pull(controller) {
        const { done, value } = rest.next();
        if (done) return controller.close();
        controller.enqueue(value);
        bytes -= value.byteLength;
        held?.update(bytes);
      },
      cancel: () => held?.update(0),
    },
    { highWaterMark: 0 },
  );
}

/** A body that is read as its reader takes it. @param hold as for `readableBody` */
export function readableSource(source: AsyncIterable<Uint8Array>, hold?: HoldOptions): ReadableStream<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  let held: Hold | undefined;
  const stop = async () => {
    held?.update(0);
    await pieces.return?.();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        held ??= hold && new Hold(hold, () => void stop().then(() => controller.error(new Error(cutOff))));
        held?.update(0);
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        controller.enqueue(value);
        held?.update(value.byteLength);
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

const cutOff = "The client takes nothing of this answer, or has gone.";

/** Counts what is held for a reader, and cuts one that takes nothing. */
class Hold {
  readonly #held: ReturnType<Unsent["open"]> | undefined;
  readonly #stallMs: number;
  readonly #cut: () => void;
  #late: NodeJS.Timeout | undefined;

  constructor({ unsent, stallMs = defaultStallMs }: HoldOptions, cut: () => void) {
    this.#stallMs = stallMs;
    this.#cut = () => {
      this.update(0);
      cut();
    };
    this.#held = unsent?.open(this.#cut);
  }

  /** The reader has taken something, or there is more for it. */
  update(bytes: number): void {
    this.#held?.update(bytes);
    clearTimeout(this.#late);
    if (bytes > 0) this.#late = setTimeout(this.#cut, this.#stallMs).unref();
  }
}

/** Where the kernel writes the pieces of one stream. */
class StreamOutlet implements Outlet {
  readonly #controller: Controller;
  readonly #hold: Hold | undefined;
  #listener: OutletListener | undefined;
  #isOver = false;

  constructor(controller: Controller, hold: HoldOptions | undefined) {
    this.#controller = controller;
    this.#hold = hold && new Hold(hold, () => this.#cut());
    hold?.onGone?.(() => this.#cut());
  }

  start(stream: BodyStream): void {
    this.#listener = stream(this);
  }

  get waiting(): number {
    return this.#isOver ? 0 : Math.max(0, -(this.#controller.desiredSize ?? 0));
  }

  send(text: string): void {
    if (this.#isOver) return;
    this.#controller.enqueue(Buffer.from(text));
    this.#hold?.update(this.waiting);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.close();
    queueMicrotask(() => this.#release());
  }

  drained(): void {
    this.#hold?.update(0);
    if (!this.#isOver) this.#listener?.drained();
  }

  /** The reader wants no more. */
  closed(): void {
    this.#isOver = true;
    this.#release();
  }

  #cut(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.error(new Error(cutOff));
    this.#release();
  }

  #release(): void {
    this.#hold?.update(0);
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.closed();
  }
}
