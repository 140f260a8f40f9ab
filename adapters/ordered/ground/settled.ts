// Waits for writes that are in flight together.

/** Waits for all, then throws the first failure: none of them writes any more. */
export async function settled(pending: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(pending)) if (outcome.status === "rejected") throw outcome.reason;
}
