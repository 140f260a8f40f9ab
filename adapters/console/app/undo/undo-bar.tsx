// The last change of this tab with a button that takes it back. Ctrl-Z does the same where no text is written.

import { useEffect, useState } from "preact/hooks";
import type { Undo } from "./use-undo.ts";

export function UndoBar({ undo: { changes, undo, isBusy, outcome, problem } }: { readonly undo: Undo }) {
  const [closed, close] = useState<unknown>();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || isWritten(event.target)) return;
      event.preventDefault();
      undo();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [undo]);
  const last = changes.at(-1);
  const shown = problem || outcome || last;
  const isOpen = shown !== undefined && closed !== shown;
  return (
    <div class={isOpen ? "undo-bar" : "hidden"} role="status">
      {isOpen && (
        <>
          {problem !== "" && <p class="problem">{problem}</p>}
          {problem === "" && <p>{outcome || `${last?.done ?? ""}.`}</p>}
          {last && (
            <button type="button" disabled={isBusy} onClick={undo} title="Ctrl-Z">
              {outcome || problem ? `Undo: ${last.done}` : "Undo"}
            </button>
          )}
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => close(shown)}>
            ✕
          </button>
        </>
      )}
    </div>
  );
}

/** Texts have an undo of their own. */
function isWritten(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select, [contenteditable=true], dialog") !== null;
}
