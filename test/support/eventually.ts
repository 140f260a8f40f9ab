import { vi } from "vitest";

/** Waits until `look` does not throw, and returns what it returns. A machine that is busy with other things has a minute for it. */
export function eventually<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 60_000, interval: 10 });
}
