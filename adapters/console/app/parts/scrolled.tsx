// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard.
// What scrolls in a place of its own.

import type { ComponentChildren } from "preact";

/** A long text. */
export function ScrolledText({ children }: { readonly children: ComponentChildren }) {
  return (
    <pre class="json" tabIndex={0}>
      {children}
    </pre>
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
