// A button with a list below it, which closes when the focus leaves it, and by Escape.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

export interface MenuProps {
  readonly title: string;
  /** @param close what is chosen once calls it */
  readonly children: (close: () => void) => ComponentChildren;
}

export function Menu({ title, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  return (
    <details
      class="menu"
      ref={menu}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onFocusOut={({ currentTarget, relatedTarget }) => relatedTarget instanceof Node && !currentTarget.contains(relatedTarget) && close()}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
        menu.current?.querySelector("summary")?.focus();
      }}
    >
      <summary>{title}</summary>
      {isOpen && <ul>{children(close)}</ul>}
    </details>
  );
}
