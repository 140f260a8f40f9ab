// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard.
// What scrolls in a place of its own.

import type { ComponentChildren } from "preact";

export interface ScrolledTextProps {
  readonly children: ComponentChildren;
  readonly kind?: "json" | "document";
}

/** A long text. */
export function ScrolledText({ children, kind = "json" }: ScrolledTextProps) {
  return (
    <pre class={kind} tabIndex={0}>
      {children}
    </pre>
  );
}

/** A part of a page that scrolls by itself, and may hold nothing that gets the focus. */
export function ScrolledPart({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="why" tabIndex={0}>
      {children}
    </div>
  );
}

/** A card with a table that may be wider than the screen. */
export function ScrolledCard({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card wide-table" tabIndex={0} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
