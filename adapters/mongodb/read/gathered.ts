// Gathers the documents of a cursor in turns: the driver decodes them when they are taken, and many cursors may be read side by side.

import { type Budget, nextTurn, TurnClock } from "../../../core/storage.ts";
import type { Doc } from "../connection.ts";
import { longCursorsOf } from "./long-cursors.ts";

/** What reads of a cursor need. */
export interface Cursor {
  hasNext(): Promise<boolean>;
  /** Zero: the database has sent all documents. */
  readonly id?: { isZero(): boolean } | undefined;
  /** They are decoded now. */
  readBufferedDocuments(most?: number): Doc[];
  close(): Promise<void>;
}

/** Documents that are decoded between two looks at the clock: about a millisecond of work. */
const decodedAtOnce = 256;

/**
 * All documents of `cursor`, which is closed. Few of them wait for no turn; each further batch of the database begins with one, the second when few other
 * cursors of the request have as many.
 */
export async function gathered(cursor: Cursor, budget: Budget | undefined): Promise<Doc[]> {
  const clock = new TurnClock();
  const docs: Doc[] = [];
  const others = budget && longCursorsOf(budget);
  let isLong = false;
  const takeTurn = async () => {
    await (budget?.turn?.() ?? nextTurn());
    clock.restart();
  };
  try {
    while (await cursor.hasNext()) {
      if (docs.length > 0) await takeTurn();
      for (let some = cursor.readBufferedDocuments(decodedAtOnce); some.length > 0; some = cursor.readBufferedDocuments(decodedAtOnce)) {
        for (const each of some) docs.push(each);
        if (some.length < decodedAtOnce) break;
        // Whatever the clock says: many cursors may have got their first documents in the same turn.
        if (clock.isOver || docs.length === decodedAtOnce) await takeTurn();
      }
      if (others === undefined || isLong || cursor.id?.isZero() !== false) continue;
      await others.enter();
      isLong = true;
      budget?.spend(0);
    }
  } finally {
    if (isLong) others?.leave();
    await cursor.close();
  }
  return docs;
}
