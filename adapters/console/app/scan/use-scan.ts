// A scan as the table shows it: it begins by itself, can be stopped, and is not repeated when others write.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Found, type Progress, type Scan, scan } from "./scan.ts";

export interface ScanState {
  /** Undefined until it has ended. */
  readonly found: readonly Found[] | undefined;
  readonly progress: Progress | undefined;
  readonly isRunning: boolean;
  /** Somebody ended it before it had read everything. */
  readonly isStopped: boolean;
  readonly failure: unknown;
  /** Rises with each scan. */
  readonly run: number;
  readonly stop: () => void;
  readonly again: () => void;
}

type Ended = Pick<ScanState, "found" | "progress" | "isRunning" | "isStopped" | "failure">;

const before: Ended = { found: undefined, progress: undefined, isRunning: false, isStopped: false, failure: undefined };

/** @param of undefined: no scan is needed */
export function useScan(of: Scan | undefined): ScanState {
  const [state, setState] = useState<Ended>(before);
  const [run, setRun] = useState(0);
  const control = useRef<AbortController>(undefined);
  useEffect(() => {
    if (of === undefined) return setState(before);
    const own = new AbortController();
    control.current = own;
    let isCurrent = true;
    setState({ ...before, isRunning: true });
    const onProgress = (progress: Progress) => isCurrent && setState((last) => ({ ...last, progress }));
    const ended = (found: readonly Found[]) => isCurrent && setState((last) => ({ ...last, found, isRunning: false, isStopped: own.signal.aborted }));
    scan(of, { signal: own.signal, onProgress }).then(
      ended,
      // Ended before its first page, such as while the nodes were counted.
      (failure: unknown) => (own.signal.aborted ? ended([]) : isCurrent && setState({ ...before, failure })),
    );
    return () => {
      isCurrent = false;
      own.abort();
    };
  }, [of, run]);
  return {
    ...state,
    run,
    stop: useCallback(() => control.current?.abort(), []),
    again: useCallback(() => setRun((last) => last + 1), []),
  };
}
