// Keeps a namespace open for as long as its answer is sent.

import type { HttpRequest, HttpResponse, Outlet, OutletListener } from "../../core/transport.ts";

/** @param release called once, when nothing of the response needs the namespace any more */
export function holdUntilSent(request: HttpRequest, response: HttpResponse, release: () => void): HttpResponse {
  const { stream, source } = response;
  if (request.method === "HEAD" || (stream === undefined && source === undefined)) {
    release();
    return response;
  }
  request.onGone?.(release);
  return { ...response, ...(stream && { stream: heldStream(stream, release) }), ...(source && { source: heldSource(source, release) }) };
}

type Stream = NonNullable<HttpResponse["stream"]>;

function heldStream(stream: Stream, release: () => void): Stream {
  return (outlet: Outlet): OutletListener => {
    const listener = stream(outlet);
    return {
      drained: () => listener.drained(),
      leaving: () => listener.leaving(),
      closed: () => {
        listener.closed();
        release();
      },
    };
  };
}

async function* heldSource(source: AsyncIterable<Uint8Array>, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } finally {
    release();
  }
}
