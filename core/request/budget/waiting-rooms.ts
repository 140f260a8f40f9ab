// Rooms in which requests for the same place wait: one for each kernel of a process. They take turns, so that who waits in one of them holds nobody
// up in another one.

import type { WaitingRoom } from "./waiting-room.ts";

export class WaitingRooms {
  /** Those in which somebody may wait. The first is the next one. */
  readonly #rooms = new Set<WaitingRoom>();

  /** Somebody waits in `room`. */
  add(room: WaitingRoom): void {
    this.#rooms.add(room);
  }

  /** Begins the next request. False: none waits. */
  beginNext(): boolean {
    for (const room of this.#rooms) {
      this.#rooms.delete(room);
      if (room.length === 0) continue;
      // Back in line first: the request may end, and call this, at once.
      if (room.length > 1) this.#rooms.add(room);
      return room.beginNext();
    }
    return false;
  }
}
