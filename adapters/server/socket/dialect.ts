// The interface of the two WebSocket subprotocols: handling messages, and encoding results and ends.

import type { LiveEnd } from "../../../core/index.ts";

export interface Dialect {
  /** Handles one message of the client. */
  message(text: string): void;
  /** The frame of one result. @param body the complete answer as JSON */
  next(id: string, body: string): string;
  /** The frames that end an operation; none when the server interrupts it, because clients subscribe again to operations without an end. */
  end(id: string, end: LiveEnd): readonly string[];
  /** The connection has closed: clears its timers. */
  closed(): void;
}

/** A control frame without undefined members. */
export function frame(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(members);
}

/** A frame with a serialized payload. */
export function frameAround(type: string, id: string, payload: string): string {
  return `{"type":"${type}","id":${JSON.stringify(id)},"payload":${payload}}`;
}
