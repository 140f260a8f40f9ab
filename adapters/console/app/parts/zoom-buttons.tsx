// The buttons of a picture that can be zoomed.

import type { ViewBox } from "./view-box.ts";

export function ZoomButtons({ view }: { readonly view: Pick<ViewBox, "zoom" | "showAll"> }) {
  return (
    <div class="zoom-buttons">
      <button type="button" aria-label="Zoom in" onClick={() => view.zoom(1.5)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => view.zoom(1 / 1.5)}>
        −
      </button>
      <button type="button" onClick={view.showAll}>
        All
      </button>
    </div>
  );
}
