// A time limit for one call.

export interface TimeLimit {
  readonly timeoutMs: number;
  /** Ends the call early. */
  readonly signal: AbortSignal;
  /** Aborted when the call ends early. */
  readonly ending?: LateSignal;
  /** Completes `... does not answer within`. */
  readonly what: string;
}

/** A signal that is made when somebody asks for it: making one takes longer than many a call. */
export class LateSignal {
  #controller: AbortController | undefined;
  #end: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#end) this.#controller.abort(this.#end.reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#end ??= { reason };
    this.#controller?.abort(reason);
  }
}

/** The result of `work`. Rejects when the time is over or `signal` is aborted, even if `work` goes on. */
export async function withinTime<T>(work: () => PromiseLike<T>, { timeoutMs, signal, ending, what }: TimeLimit): Promise<T> {
  let stop = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown): void => {
      ending?.abort(reason);
      reject(reason);
    };
    const timer = setTimeout(() => end(new Error(`${what} does not answer within ${timeoutMs} ms`)), timeoutMs);
    const gone = () => end(signal.reason);
    if (signal.aborted) gone();
    else signal.addEventListener("abort", gone, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
    };
  });
  try {
    return await Promise.race([work(), ended]);
  } finally {
    stop();
  }
}
