// Counts commits while a page is open: not every storage numbers them one by one, but each says when there was one.

import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { useChanges } from "./use-changes.ts";

export function useCommits(): RefObject<number> {
  const commits = useRef(0);
  useChanges((count) => {
    commits.current += count;
  });
  return commits;
}
