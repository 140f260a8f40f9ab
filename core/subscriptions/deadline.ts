// A timer for any time, also beyond the 24 days that one Node timer can wait.

const longestMs = 2 ** 31 - 1;

/** Calls `then` at `at` (milliseconds since 1970) or shortly after, never before. Does not keep the process alive. Returns a function that cancels it. */
export function callAt(at: number, then: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(check, Math.min(Math.max(at - Date.now(), 0), longestMs)).unref();
  };
  const check = (): void => {
    if (Date.now() >= at) then();
    else wait();
  };
  wait();
  return () => clearTimeout(timer);
}
