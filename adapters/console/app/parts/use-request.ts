// A request of a page: its value, its failure, and a way to send it again.

import { useCallback, useEffect, useState } from "preact/hooks";

export interface Loading<T> {
  readonly value: T | undefined;
  readonly failure: unknown;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/** Sends `request` when `inputs` change. A newer request replaces an older one; until its answer is there, the older value stays. */
export function useRequest<T>(request: () => Promise<T>, inputs: readonly unknown[]): Loading<T> {
  const [state, setState] = useState<{ readonly value?: T; readonly failure?: unknown; readonly isLoading: boolean }>({ isLoading: true });
  const [turn, setTurn] = useState(0);
  // The caller lists what the request depends on.
  useEffect(() => {
    let isCurrent = true;
    setState((before) => ({ ...before, isLoading: true }));
    request().then(
      (value) => isCurrent && setState({ value, isLoading: false }),
      (failure: unknown) => isCurrent && setState((before) => ({ ...before, failure, isLoading: false })),
    );
    return () => {
      isCurrent = false;
    };
  }, [turn, ...inputs]);
  return { value: state.value, failure: state.failure, isLoading: state.isLoading, again: useCallback(() => setTurn((before) => before + 1), []) };
}
