// What this tab has changed, and can take back as long as it is open.

import { useCallback, useMemo, useState } from "preact/hooks";
import { messageOf } from "../api/server.ts";

export interface Change {
  /** What was done: `Deleted Kiel`. */
  readonly done: string;
  /** Says what it had to leave out; empty: nothing. Rejects with the reason, and changes nothing, where others have changed the same since. */
  readonly takeBack: () => Promise<string>;
}

export interface Undo {
  /** The newest last. */
  readonly changes: readonly Change[];
  readonly note: (change: Change) => void;
  /** Takes the newest one back. */
  readonly undo: () => void;
  readonly isBusy: boolean;
  /** How the last undo ended; empty: there was none since the last change. */
  readonly outcome: string;
  readonly problem: string;
}

/** Older ones can no more be taken back. */
const most = 50;

export function useUndo(): Undo {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [{ outcome, problem }, setEnd] = useState({ outcome: "", problem: "" });
  const note = useCallback((change: Change) => {
    setChanges((before) => [...before.slice(1 - most), change]);
    setEnd({ outcome: "", problem: "" });
  }, []);
  const undo = useCallback(async () => {
    const last = changes.at(-1);
    if (last === undefined || isBusy) return;
    setBusy(true);
    try {
      const leftOut = await last.takeBack();
      setEnd({ outcome: [`Taken back: ${last.done}.`, leftOut].filter(Boolean).join(" "), problem: "" });
    } catch (thrown) {
      setEnd({ outcome: "", problem: `Not taken back: ${last.done}. ${messageOf(thrown)}` });
    }
    setChanges((before) => before.filter((each) => each !== last));
    setBusy(false);
  }, [changes, isBusy]);
  return useMemo(() => ({ changes, note, undo: () => void undo(), isBusy, outcome, problem }), [changes, note, undo, isBusy, outcome, problem]);
}
