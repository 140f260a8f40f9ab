// Bodies that are handed over as they arrive, and answers that are read as their clients take them.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpResponse, Unsent } from "../../core/transport.ts";
import type { SendOptions } from "./body-sender.ts";

/**
 * The body of `request` as it arrives. It throws when its client breaks off, or sends nothing for `stalledClientMs` while it is waited for. Who ends it early leaves the
 * rest on the connection.
 */
export async function* arrivingBody(request: IncomingMessage, stalledClientMs: number): AsyncGenerator<Uint8Array> {
  const pieces = request.iterator({ destroyOnReturn: false });
  for (;;) {
    const late = setTimeout(() => request.destroy(new Error("The client has sent nothing of its body for too long.")), stalledClientMs);
    try {
      const { done, value } = await pieces.next();
      if (done) return;
      yield value;
    } finally {
      clearTimeout(late);
    }
  }
}

/** Sends a body whose head has been written. What the source throws cuts the connection. */
export async function sendSource(response: ServerResponse, source: NonNullable<HttpResponse["source"]>, options: SendOptions): Promise<void> {
  const { stalledClientMs, unsent } = options;
  const held = heldFor(response, unsent);
  response.setTimeout(stalledClientMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
  try {
    for await (const piece of source) {
      if (response.destroyed) return;
      const hasRoom = response.write(piece);
      held?.update(response.writableLength);
      if (!hasRoom) await taken(response);
    }
    response.end();
  } finally {
    held?.update(0);
  }
}

function heldFor(response: ServerResponse, unsent: Unsent | undefined) {
  return unsent?.open(() => response.destroy());
}

/** Resolves when the client has taken what was written, or has gone. */
async function taken(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]).catch(() => undefined);
  over.abort();
}
