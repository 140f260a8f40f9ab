// Connection parameters: what a client of WebSockets says once, because a browser cannot set headers there.

import type { HttpRequest } from "../../../core/index.ts";
import type { JsonObject } from "./message.ts";

type Headers = HttpRequest["headers"];

/**
 * The headers of every operation: the parameters that are texts, then those of the upgrade request whose names the parameters
 * leave out or blank. Names in lower case, the last of equal ones counts.
 */
export function operationHeaders(parameters: JsonObject, upgrade: Headers): Headers {
  const merged = new Map(Object.entries(upgrade));
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === "string" && (value.trim() !== "" || !merged.has(name.toLowerCase()))) merged.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(merged);
}
