// One POST request with a JSON body, bounded in time and in the size of its answer.

export interface PostRequest {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly text: string;
}

/** Errors name what went wrong, and never the address or a header: both may hold secrets. */
export async function post({ url, body, headers = {}, timeoutMs, maxResponseBytes, signal }: PostRequest): Promise<PostAnswer> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      signal: AbortSignal.any([signal, late]),
    });
    return { status: answer.status, text: await boundedText(answer, maxResponseBytes) };
  } catch (thrown) {
    signal.throwIfAborted();
    if (late.aborted) throw new Error(`no answer within ${timeoutMs} ms`);
    throw thrown instanceof TooLong ? thrown : new Error(`the connection failed: ${causeOf(thrown)}`);
  }
}

class TooLong extends Error {}

async function boundedText({ body }: Response, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw new TooLong(`the answer is longer than ${maxBytes} bytes`);
    parts.push(part);
  }
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
}

/** `ECONNREFUSED`: `fetch` hides it in the cause. */
function causeOf(thrown: unknown): string {
  const { cause } = thrown instanceof Error ? thrown : { cause: undefined };
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (typeof code === "string") return code;
  return cause instanceof Error ? cause.message : thrown instanceof Error ? thrown.message : String(thrown);
}
