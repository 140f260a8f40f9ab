// A timer for any moment, also beyond the 24 days that one timer can wait.

const longestMs = 2 ** 31 - 1;

/** Calls `then` at `at` (milliseconds since 1970) or soon after, never before. Keeps no process alive. Returns how to call it off. */
export function callAt(at: number, then: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(look, Math.min(Math.max(at - Date.now(), 0), longestMs)).unref();
  };
  const look = (): void => {
    if (Date.now() >= at) then();
    else wait();
  };
  wait();
  return () => clearTimeout(timer);
}
