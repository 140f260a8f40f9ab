// State that a tab keeps while it is open, also over a reload.

import { useState } from "preact/hooks";

/** @param first what it is before anything was kept */
export function useKept(name: string, first: () => string): readonly [value: string, set: (value: string) => void] {
  const key = `quern.${name}`;
  const [value, setValue] = useState(() => window.sessionStorage.getItem(key) ?? first());
  const set = (next: string) => {
    window.sessionStorage.setItem(key, next);
    setValue(next);
  };
  return [value, set];
}
