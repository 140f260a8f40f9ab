// The rows of a table, read page by page as they come into view.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { at, type JsonObject, objectsIn } from "../../api/json.ts";
import type { NodeType } from "../../model/api-model.ts";
import { countQuery, type Order, orderOf, pageQuery } from "../../model/nodes.ts";
import { type ConsoleState, useConsole } from "../../parts/console-context.ts";
import { oneAtATime } from "../../parts/use-request.ts";

const pageSize = 100;
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
  /** Changes with the type, the filter, the order and the identity. */
  readonly of: string;
}

interface Reading {
  readonly pages: Map<number, readonly JsonObject[]>;
  readonly asked: Set<number>;
  shown: readonly [number, number];
}

const nothingRead = (): Reading => ({ pages: new Map(), asked: new Set(), shown: [0, 0] });

export function useRows(type: NodeType, filter: JsonObject | undefined, orders: readonly Order[]): Rows {
  const state = useConsole();
  const key = JSON.stringify([type.name, orders, state.identity], null) + textKey(filter);
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
      readRows(state, type, { filter, orders, page }).then(
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
    // `key` stands for type, filter, orders and identity.
    [key, state.server, type],
  );

  // `key` stands for type, filter, orders and identity.
  useEffect(() => {
    let hasRead = false;
    const turns = oneAtATime(async (isCurrent) => {
      const next = nothingRead();
      next.shown = reading.current.shown;
      const show = (change: () => void) => isCurrent() && showWhenFree(() => isCurrent() && change());
      try {
        const [count] = await Promise.all([
          readTotal(state, type, filter),
          ...pagesOf(next.shown).map(async (page) => next.pages.set(page, await readRows(state, type, { filter, orders, page }))),
        ]);
        for (const page of next.pages.keys()) next.asked.add(page);
        hasRead = true;
        show(() => {
          reading.current = next;
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
  }, [key, state.server, type]);

  return {
    total,
    failure,
    of: key,
    row: (index) => reading.current.pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    show: (first, last) => {
      reading.current.shown = [first, last];
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

function textKey(filter: JsonObject | undefined): string {
  return JSON.stringify(filter ?? null, (_name, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}

function pagesOf([first, last]: readonly [number, number]): readonly number[] {
  const [from, to] = [Math.floor(first / pageSize), Math.floor(last / pageSize)];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** Without a count the table ends with the page that was read. */
function countOf({ pages }: Reading): number {
  return Math.max(0, ...[...pages].map(([page, rows]) => page * pageSize + rows.length));
}

interface PageOf {
  readonly filter: JsonObject | undefined;
  readonly orders: readonly Order[];
  readonly page: number;
}

async function readRows(
  { server, identity, deployed }: ConsoleState,
  type: NodeType,
  { filter, orders, page }: PageOf,
): Promise<readonly JsonObject[]> {
  if (deployed === undefined) return [];
  const order = orderOf(orders);
  const variables = { first: pageSize, offset: page * pageSize, ...(filter && { filter }), ...(order && { order }) };
  const data = await server.data({ query: pageQuery(deployed.model, type), variables, as: identity });
  return objectsIn(data.rows);
}

async function readTotal({ server, identity }: ConsoleState, type: NodeType, filter: JsonObject | undefined): Promise<number | undefined> {
  const data = await server.data({ query: countQuery(type), variables: filter ? { filter } : {}, as: identity });
  const count = at(data, "total", "count");
  return typeof count === "number" ? count : undefined;
}
