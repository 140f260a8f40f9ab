// Converts streamed bodies between the kernel's outlets and Fetch streams.

import type { HttpResponse, Outlet, OutletListener } from "../../core/transport.ts";

type BodyStream = NonNullable<HttpResponse["stream"]>;

/** Starts at the first read: a response that a plugin replaces never starts. */
export function readableBody(stream: BodyStream): ReadableStream<Uint8Array> {
  let listener: OutletListener | undefined;
  const over = () => {
    const [was] = [listener];
    listener = undefined;
    was?.closed();
  };
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (listener === undefined) listener = stream(new ReadableOutlet(controller, over));
        else listener.drained();
      },
      cancel: over,
    },
    // No read-ahead.
    { highWaterMark: 0, size: (piece) => piece.byteLength },
  );
}

/** A long body; each piece is handed over when the one before is read. */
export function readablePieces(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = pieces.values();
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = rest.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

class ReadableOutlet implements Outlet {
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #over: () => void;
  #ended = false;

  constructor(controller: ReadableStreamDefaultController<Uint8Array>, over: () => void) {
    this.#controller = controller;
    this.#over = over;
  }

  get waiting(): number {
    return Math.max(0, -(this.#controller.desiredSize ?? 0));
  }

  send(text: string): void {
    if (!this.#ended && this.#controller.desiredSize !== null) this.#controller.enqueue(Buffer.from(text));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#controller.desiredSize !== null) this.#controller.close();
    queueMicrotask(this.#over);
  }
}

/**
 * The reverse, for a body that a plugin has changed or created. Reads it by iteration, the only part of the Fetch API that Yoga's streams
 * implement.
 */
export function streamOf(body: AsyncIterable<Uint8Array>, onFault: (fault: unknown) => void): BodyStream {
  return (outlet) => {
    const pieces = body[Symbol.asyncIterator]();
    const decoder = new TextDecoder();
    let isOver = false;
    let resume = () => {};
    const pump = async () => {
      for (let piece = await pieces.next(); !piece.done && !isOver; piece = await pieces.next()) {
        outlet.send(decoder.decode(piece.value, { stream: true }));
        if (outlet.waiting > 0) {
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
        }
      }
      outlet.end();
    };
    const failed = (fault: unknown) => {
      if (!isOver) onFault(fault);
      outlet.end();
    };
    pump().catch(failed);
    const end = () => {
      isOver = true;
      resume();
      pieces.return?.().catch(failed);
    };
    return { drained: () => resume(), leaving: end, closed: end };
  };
}
