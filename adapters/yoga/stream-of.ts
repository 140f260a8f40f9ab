// A Fetch stream as a streamed body of the kernel.

import type { HttpResponse } from "../../core/transport.ts";

type BodyStream = NonNullable<HttpResponse["stream"]>;

/**
 * For a body that a plugin has changed or created. Reads it by iteration, the only part of the Fetch API that Yoga's streams
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
