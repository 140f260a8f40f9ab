// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard.
// A long text in a place of its own that scrolls.

import type { ComponentChildren } from "preact";

export function ScrolledText({ children }: { readonly children: ComponentChildren }) {
  return (
    <pre class="json" tabIndex={0}>
      {children}
    </pre>
  );
}
