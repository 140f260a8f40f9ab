// The row at the top of the table is in the address, so that reloading and going back keep the place.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { replaceParameters } from "../../parts/router.ts";

const restsMs = 300;

export interface RowInAddress {
  readonly scrollTo: (row: number) => void;
  readonly firstRow: number;
  /** The first row that can be seen. */
  readonly top: number;
  /** Other rows: another place. */
  readonly of: string;
  readonly count: number;
}

export function useRowInAddress({ scrollTo, firstRow, top, of, count }: RowInAddress): void {
  const shown = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (count === 0 || shown.current === of) return;
    shown.current = of;
    scrollTo(Math.min(firstRow, count - 1));
  }, [of, count]);
  useEffect(() => {
    if (shown.current !== of) return;
    const timer = setTimeout(() => replaceParameters({ row: top === 0 ? "" : String(top) }), restsMs);
    return () => clearTimeout(timer);
  }, [top]);
}
