// Gathers the documents of a cursor in turns: they are decoded when they are taken, and many cursors may be read side by side.

import { type Budget, nextTurn, TurnClock } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import type { Cursor, RawDocument } from "./cursor.ts";
import { type LongCursors, longCursorsOf } from "./long-cursors.ts";
import { decoded } from "./raw-cursor.ts";

/** Documents that are decoded between two looks at the clock: about a millisecond of work. */
const decodedAtOnce = 256;

/**
 * All documents of the cursor that `open` opens, which is closed. Few of them wait for no turn; each further batch of the database begins with one, the second
 * when few other cursors of the request have as many. While all requests keep too much, what was read is dropped, and read again in the request's turn.
 */
export async function gathered(open: () => Cursor, budget: Budget | undefined): Promise<Doc[]> {
  const others = budget && new LongPlace(longCursorsOf(budget));
  try {
    for (;;) {
      const docs = await gatheredOnce(open(), budget, others);
      if (docs !== undefined) return docs;
      await budget?.turn?.();
    }
  } finally {
    others?.leave();
  }
}

/** Undefined: all requests keep too much, and these documents do not add to it any more. */
async function gatheredOnce(cursor: Cursor, budget: Budget | undefined, others: LongPlace | undefined): Promise<Doc[] | undefined> {
  const clock = new TurnClock();
  const docs: Doc[] = [];
  let kept = 0;
  const takeTurn = async () => {
    await (budget?.turn?.() ?? nextTurn());
    clock.restart();
  };
  const drop = () => void budget?.keep?.(-kept);
  try {
    while (await cursor.hasNext()) {
      if (docs.length > 0) await takeTurn();
      const isLast = cursor.id?.isZero() !== false;
      for (let some = cursor.readBufferedDocuments(decodedAtOnce); some.length > 0; some = cursor.readBufferedDocuments(decodedAtOnce)) {
        const bytes = bytesOf(some);
        kept += bytes;
        if (budget?.keep?.(bytes) && !isLast) return drop();
        for (const each of some) docs.push(decoded(each));
        if (some.length < decodedAtOnce) break;
        // Whatever the clock says: many cursors may have got their first documents in the same turn.
        if (clock.isOver || docs.length === decodedAtOnce) await takeTurn();
      }
      if (isLast || others === undefined || others.isTaken) continue;
      await others.take();
      budget?.spend(0);
    }
    return docs;
  } catch (thrown) {
    drop();
    throw thrown;
  } finally {
    await cursor.close();
  }
}

function bytesOf(documents: readonly RawDocument[]): number {
  return documents.reduce((sum, { length }) => sum + length, 0);
}

/** The place of one cursor among the long ones of its request. */
class LongPlace {
  readonly #cursors: LongCursors;
  isTaken = false;

  constructor(cursors: LongCursors) {
    this.#cursors = cursors;
  }

  async take(): Promise<void> {
    await this.#cursors.enter();
    this.isTaken = true;
  }

  leave(): void {
    if (this.isTaken) this.#cursors.leave();
  }
}
