// What administrators read of a store, as far as it can be read.

import type { Kernel } from "../../../core/index.ts";

/** False while the store opens or closes, and while it fails every read. */
export function isReadable({ ready, trouble }: Kernel): boolean {
  return ready && (trouble === undefined || trouble.kind === "read-only");
}

/** Empty where the store cannot be read: the other numbers of the server are wanted most then. */
export async function statisticsOf(kernel: Kernel): Promise<Readonly<Record<string, number>>> {
  return isReadable(kernel) ? await kernel.storage.statistics() : {};
}
