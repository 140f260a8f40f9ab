// What the two dialects spoken over WebSockets have in common: they answer messages, and they spell results and ends.

import type { LiveEnd } from "../../../core/index.ts";

export interface Dialect {
  /** One message of the client. */
  message(text: string): void;
  /** The frame with one result. @param body the whole answer as JSON */
  next(id: string, body: string): string;
  /** The frames that say how an operation has ended; none for one that the server interrupts, because the client asks again for what has no end. */
  end(id: string, end: LiveEnd): readonly string[];
  /** The connection is over: forget its timers. */
  closed(): void;
}

/** A control frame. Members that are undefined are left out. */
export function frame(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(members);
}

/** A frame around a finished text. */
export function frameAround(type: string, id: string, payload: string): string {
  return `{"type":"${type}","id":${JSON.stringify(id)},"payload":${payload}}`;
}
