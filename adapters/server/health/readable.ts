// What administrators read of a store, as far as it can be read.

import type { HttpContext } from "../context.ts";

/** False while the store opens or closes, and while it fails every read. */
export function isReadable({ ready, trouble }: Pick<HttpContext, "ready" | "trouble">): boolean {
  return ready && (trouble === undefined || trouble.kind === "read-only");
}

/** Empty where the store cannot be read: the other numbers of the server are wanted most then. */
export async function statisticsOf(context: Pick<HttpContext, "ready" | "trouble" | "storage">): Promise<Readonly<Record<string, number>>> {
  return isReadable(context) ? await context.storage.statistics() : {};
}
