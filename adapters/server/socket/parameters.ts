// Connection parameters: the headers of a WebSocket client, sent once, because a browser cannot set headers there.

import type { HttpRequest } from "../../../core/transport.ts";
import type { JsonObject } from "./message.ts";

type Headers = HttpRequest["headers"];

/** Headers that browsers set and pages cannot, by which servers judge pages. */
const browsersOwn = /^(?:origin|host|referer|sec-fetch-.*)$/i;

/**
 * The headers of every operation: the string parameters, then the headers of the upgrade request that the parameters omit or leave
 * empty. Names are in lower case; the last of equal names counts. Parameters never say where a page is from: the page itself writes them.
 */
export function operationHeaders(parameters: JsonObject, upgrade: Headers): Headers {
  const merged = new Map(Object.entries(upgrade));
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== "string" || browsersOwn.test(name)) continue;
    if (value.trim() !== "" || !merged.has(name.toLowerCase())) merged.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(merged);
}
