// For whom an upload counts.

import type { KernelAccess, RouteRequest } from "../../../core/plugin.ts";

/** Who is refused by the API uploads nothing either. @throws the QuernError that refuses the client */
export async function callerOf(kernel: KernelAccess, { headers, caller = "" }: Pick<RouteRequest, "headers" | "caller">): Promise<string> {
  const { name } = await kernel.identify(headers);
  return name === undefined ? caller : `user ${name}`;
}
