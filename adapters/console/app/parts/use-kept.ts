// State that a tab keeps while it is open, also over a reload.

import { useState } from "preact/hooks";

/** @param first what it is before anything was kept */
export function useKept(name: string, first: () => string): readonly [value: string, set: (value: string) => void] {
  const key = `quern.${name}`;
  const [value, setValue] = useState(() => window.sessionStorage.getItem(key) ?? first());
  const set = (next: string) => {
    setValue(next);
    keep(key, next);
  };
  return [value, set];
}

/** A text that somebody has begun to change. Undefined: nothing is changed. */
export function useDraft(name: string): readonly [draft: string | undefined, set: (draft: string | undefined) => void] {
  const key = `quern.${name}`;
  const [draft, setDraft] = useState(() => window.sessionStorage.getItem(key) ?? undefined);
  const set = (next: string | undefined) => {
    setDraft(next);
    keep(key, next);
  };
  return [draft, set];
}

/** As `useDraft` finds it. */
export function draftOf(name: string): string | undefined {
  return window.sessionStorage.getItem(`quern.${name}`) ?? undefined;
}

export function keepDraft(name: string, text: string): void {
  keep(`quern.${name}`, text);
}

/** What does not fit into the storage of the browser is kept until the tab is loaded again. */
function keep(key: string, value: string | undefined): void {
  window.sessionStorage.removeItem(key);
  if (value === undefined) return;
  try {
    window.sessionStorage.setItem(key, value);
  } catch {
    // The storage is full.
  }
}
