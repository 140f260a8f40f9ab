// The rows of a table, read page by page as they come into view.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { JsonObject } from "../../api/json.ts";
import { oneAtATime } from "../../parts/use-request.ts";
import { pageSize, type RowSource } from "./row-source.ts";

/** Browsers cannot scroll higher elements. */
export const maxRows = 500_000;

export interface Rows {
  /** Undefined: not known yet. */
  readonly total: number | undefined;
  readonly failure: unknown;
  /** Undefined: it is not read yet. */
  readonly row: (index: number) => JsonObject | undefined;
  /** Reads the pages of these rows, unless they are read. */
  readonly show: (first: number, last: number) => void;
  /** Reads everything again; old rows stay until then. */
  readonly again: () => void;
  /** Rows stay what and where they are until `release`, which shows what was read meanwhile. */
  readonly hold: () => void;
  readonly release: () => void;
  /** Those of the source. */
  readonly of: string;
  /** None where they cannot be read: `failure` says why. */
  readonly keys: RowSource["keys"];
  readonly all: RowSource["all"];
}

interface Reading {
  readonly pages: Map<number, readonly JsonObject[]>;
  readonly asked: Set<number>;
  shown: readonly [number, number];
}

const nothingRead = (): Reading => ({ pages: new Map(), asked: new Set(), shown: [0, 0] });

export function useRows(source: RowSource): Rows {
  const reading = useRef(nothingRead());
  const [total, setTotal] = useState<number>();
  const [failure, setFailure] = useState<unknown>();
  const [, draw] = useState(0);
  const asking = useRef<() => void>(undefined);
  const held = useRef<{ isHeld: boolean; waiting: (() => void) | undefined }>({ isHeld: false, waiting: undefined });
  const showWhenFree = (change: () => void) => {
    if (held.current.isHeld) held.current.waiting = change;
    else change();
  };

  const readPage = useCallback(
    (page: number, into: Reading) => {
      if (into.asked.has(page)) return;
      into.asked.add(page);
      source.page(page).then(
        (rows) => {
          into.pages.set(page, rows);
          if (into === reading.current) draw((before) => before + 1);
        },
        (thrown: unknown) => {
          into.asked.delete(page);
          if (into === reading.current) setFailure(thrown);
        },
      );
    },
    [source],
  );

  useEffect(() => {
    let hasRead = false;
    const turns = oneAtATime(async (isCurrent) => {
      const next = nothingRead();
      next.shown = reading.current.shown;
      const show = (change: () => void) => isCurrent() && showWhenFree(() => isCurrent() && change());
      try {
        const [count] = await Promise.all([
          source.total(),
          ...pagesOf(next.shown).map(async (page) => next.pages.set(page, await source.page(page))),
        ]);
        for (const page of next.pages.keys()) next.asked.add(page);
        hasRead = true;
        show(() => {
          // The table may have been scrolled meanwhile: what came into view then is not among these pages.
          next.shown = reading.current.shown;
          reading.current = next;
          for (const page of pagesOf(next.shown)) readPage(page, next);
          setFailure(undefined);
          setTotal(count ?? countOf(next));
          // The total is often the same; the rows are others.
          draw((before) => before + 1);
        });
      } catch (thrown) {
        // Rows of another filter, or of what another identity may see, are not shown as if they were these.
        if (!hasRead && isCurrent()) {
          reading.current = nothingRead();
          setTotal(undefined);
        }
        if (isCurrent()) setFailure(thrown);
      }
    });
    asking.current = turns.ask;
    turns.ask();
    return turns.end;
  }, [source]);

  return {
    total,
    failure,
    of: source.of,
    all: source.all,
    keys: () =>
      source.keys().catch((thrown: unknown) => {
        setFailure(thrown);
        return [];
      }),
    row: (index) => reading.current.pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    show: (first, last) => {
      reading.current.shown = [first, last];
      // The first pages are under way with the total.
      if (total === undefined) return;
      for (const page of pagesOf([first, last])) readPage(page, reading.current);
    },
    again: useCallback(() => asking.current?.(), []),
    hold: useCallback(() => {
      held.current.isHeld = true;
    }, []),
    release: useCallback(() => {
      const { waiting } = held.current;
      held.current = { isHeld: false, waiting: undefined };
      waiting?.();
    }, []),
  };
}

function pagesOf([first, last]: readonly [number, number]): readonly number[] {
  const [from, to] = [Math.floor(first / pageSize), Math.floor(last / pageSize)];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** Without a count the table ends with the page that was read. */
function countOf({ pages }: Reading): number {
  return Math.max(0, ...[...pages].map(([page, rows]) => page * pageSize + rows.length));
}
