// What all kernels of one process hold for clients together, where it serves several.

import type { Limits } from "../../../core/index.ts";
import { BoundedBodies } from "../http/body-room.ts";

export interface ServerRooms {
  /** Memory for bodies. */
  readonly bodies: BoundedBodies;
  /** Memory for what long bodies become. */
  readonly parsed: BoundedBodies;
  /** How many WebSockets and event streams are open. */
  readonly liveClients: { count: number };
}

export function serverRooms({ maxBufferedBytes, stallMs }: Pick<Limits, "maxBufferedBytes" | "stallMs">): ServerRooms {
  const bodies = () => new BoundedBodies({ maxBytes: maxBufferedBytes, patienceMs: stallMs });
  return { bodies: bodies(), parsed: bodies(), liveClients: { count: 0 } };
}
