// Calls back after each commit of any client, while a page is open.

import { useEffect, useRef } from "preact/hooks";
import type { ChangeListener } from "./change-stream.ts";
import { useConsole } from "./console-context.ts";

export function useChanges(onChange: ChangeListener): void {
  const { changes } = useConsole();
  const listener = useRef(onChange);
  listener.current = onChange;
  useEffect(() => changes.listen((commits) => listener.current(commits)), [changes]);
}
