// Gives the focus back to the button that opened something, which the page does not draw meanwhile.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Who has gone on to something else stays there: only a focus that nothing has is given back. */
export function useFocusBack({ isOpen }: { readonly isOpen: boolean }): RefObject<HTMLButtonElement | null> {
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return opener;
}
