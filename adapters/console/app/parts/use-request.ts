// A request of a page: its value, its failure, and a way to send it again.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Loading<T> {
  readonly value: T | undefined;
  readonly failure: unknown;
  readonly isLoading: boolean;
  /** Waits for the answer that is under way: a server that is asked faster than it answers still gets its answers shown. */
  readonly again: () => void;
}

/**
 * Sends `request` when `inputs` change. A newer request replaces an older one; until its answer is there, the older value stays.
 *
 * @param request gets the value that is shown now
 * @param revisions the same request is sent again when one of them changes
 */
export function useRequest<T>(
  request: (before: T | undefined) => Promise<T>,
  inputs: readonly unknown[],
  revisions: readonly unknown[] = [],
): Loading<T> {
  const [state, setState] = useState<{ readonly value?: T; readonly failure?: unknown; readonly isLoading: boolean }>({ isLoading: true });
  const latest = useRef({ request, value: state.value });
  latest.current = { request, value: state.value };
  const asking = useRef<() => void>(undefined);
  const again = useCallback(() => asking.current?.(), []);
  // The caller lists what the request depends on.
  useEffect(() => {
    const turns = oneAtATime(async (isCurrent) => {
      setState((before) => ({ ...before, isLoading: true }));
      try {
        const value = await latest.current.request(latest.current.value);
        if (isCurrent()) setState({ value, isLoading: false });
      } catch (failure) {
        if (isCurrent()) setState((before) => ({ ...before, failure, isLoading: false }));
      }
    });
    asking.current = turns.ask;
    turns.ask();
    return turns.end;
  }, inputs);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) again();
    isFirst.current = false;
  }, revisions);
  return { value: state.value, failure: state.failure, isLoading: state.isLoading, again };
}

export interface Turns {
  /** Runs the work, or once more after the run that is under way. */
  readonly ask: () => void;
  /** Whatever is under way counts no more. */
  readonly end: () => void;
}

/** @param work never rejects */
export function oneAtATime(work: (isCurrent: () => boolean) => Promise<void>): Turns {
  let isOver = false;
  let isRunning = false;
  let isDue = false;
  const ask = async () => {
    isDue = true;
    if (isRunning) return;
    isRunning = true;
    while (isDue && !isOver) {
      isDue = false;
      await work(() => !isOver);
    }
    isRunning = false;
  };
  return {
    ask: () => void ask(),
    end: () => {
      isOver = true;
    },
  };
}
