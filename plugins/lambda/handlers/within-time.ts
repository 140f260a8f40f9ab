// A time limit for one call.

export interface TimeLimit {
  readonly timeoutMs: number;
  /** Ends the call early. */
  readonly signal: AbortSignal;
  /** Completes `... does not answer within`. */
  readonly what: string;
}

/** The result of `work`. Rejects when the time is over or `signal` is aborted, even if `work` goes on; the signal that `work` gets is aborted then. */
export async function withinTime<T>(work: (signal: AbortSignal) => T, { timeoutMs, signal, what }: TimeLimit): Promise<Awaited<T>> {
  signal.throwIfAborted();
  const ending = new AbortController();
  let stop = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown): void => {
      ending.abort(reason);
      reject(reason);
    };
    const timer = setTimeout(() => end(new Error(`${what} does not answer within ${timeoutMs} ms`)), timeoutMs);
    const gone = () => end(signal.reason);
    signal.addEventListener("abort", gone, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
    };
  });
  try {
    return await Promise.race([Promise.resolve(work(ending.signal)), ended]);
  } finally {
    stop();
  }
}
