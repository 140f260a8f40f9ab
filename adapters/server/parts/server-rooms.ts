// What all kernels of one process hold for clients together, where it serves several.

import type { Limits } from "../../../core/index.ts";
import { BoundedBodies } from "../http/body-room.ts";

/** Room for bodies and live clients, which kernels of one process share. */
export interface ServerRooms {
  /** Memory for bodies. */
  readonly bodies: BoundedBodies;
  /** Memory for what long bodies become. */
  readonly parsed: BoundedBodies;
  /** How many WebSockets and event streams are open. */
  readonly liveClients: { count: number };
}

/** @param limits those of every kernel that shares them */
export function serverRooms({ maxBufferedBytes, stallMs }: Pick<Limits, "maxBufferedBytes" | "stallMs">): ServerRooms {
  const bodies = () => new BoundedBodies({ maxBytes: maxBufferedBytes, patienceMs: stallMs });
  return { bodies: bodies(), parsed: bodies(), liveClients: { count: 0 } };
}
