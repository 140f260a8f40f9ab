// Fetches a small text from a URL that the schema's author configured.

const timeoutMs = 30_000;
const maxBytes = 1_048_576;

export interface FetchedText {
  readonly text: string;
  readonly headers: Headers;
}

/** Resolves for every HTTP status. @throws Error that names the URL and the reason */
export async function fetchText(url: string, signal: AbortSignal): Promise<FetchedText> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
    return { text: await textOf(response), headers: response.headers };
  } catch (cause) {
    throw new Error(`Get "${url}": ${reasonOf(cause)}`, { cause });
  }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
