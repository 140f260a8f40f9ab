// Which rows of a long table are drawn: TanStack Virtual for Preact.

import { elementScroll, observeElementOffset, observeElementRect, type VirtualItem, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly height: number;
  readonly scrollTo: (index: number) => void;
}

export function useVirtualRows(count: number, rowHeight: number, scroller: RefObject<HTMLElement | null>): VirtualRows {
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
    onChange: () => draw((before) => before + 1),
  };
  made.current ??= new Virtualizer(options);
  const virtualizer = made.current;
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return { items: virtualizer.getVirtualItems(), height: virtualizer.getTotalSize(), scrollTo: (index) => virtualizer.scrollToIndex(index) };
}
