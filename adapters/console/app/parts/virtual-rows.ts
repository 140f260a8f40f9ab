// Which rows of a long table are drawn: TanStack Virtual for Preact.

import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  /** The first and the last row that can be seen. */
  readonly seen: readonly [first: number, last: number];
  readonly height: number;
  readonly scrollTo: (index: number) => void;
}

export interface VirtualTable {
  readonly count: number;
  readonly rowHeight: number;
  readonly scroller: RefObject<HTMLElement | null>;
  /** A row that is drawn also out of sight: it has the focus. */
  readonly kept: number;
}

export function useVirtualRows({ count, rowHeight, scroller, kept }: VirtualTable): VirtualRows {
  const [, draw] = useState(0);
  const made = useRef<Virtualizer<HTMLElement, HTMLElement>>(undefined);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll<HTMLElement>,
    overscan: 12,
    rangeExtractor: (range: Range) => withKept(defaultRangeExtractor(range), kept),
    onChange: () => draw((before) => before + 1),
  };
  made.current ??= new Virtualizer(options);
  const virtualizer = made.current;
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  return {
    items: virtualizer.getVirtualItems(),
    seen: [startIndex, endIndex],
    height: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  };

  function withKept(rows: number[], row: number): number[] {
    return row >= count || rows.includes(row) ? rows : [...rows, row].sort((one, other) => one - other);
  }
}
