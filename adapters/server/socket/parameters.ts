// Connection parameters: the headers of a WebSocket client, sent once, because a browser cannot set headers there.

import type { HttpRequest } from "../../../core/transport.ts";
import type { JsonObject } from "./message.ts";

type Headers = HttpRequest["headers"];

/**
 * The headers of every operation: the string parameters, then the headers of the upgrade request that the parameters omit or leave
 * empty. Names are in lower case; the last of equal names counts.
 */
export function operationHeaders(parameters: JsonObject, upgrade: Headers): Headers {
  const merged = new Map(Object.entries(upgrade));
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === "string" && (value.trim() !== "" || !merged.has(name.toLowerCase()))) merged.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(merged);
}
