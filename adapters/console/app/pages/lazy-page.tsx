// A page whose code is read when it is first shown: who looks at data does not wait for the editors of other pages.

import type { ComponentType } from "preact";
import { lazyPart } from "../parts/lazy-part.tsx";
import type { Route } from "../parts/router.ts";

export type PageComponent = ComponentType<{ readonly route: Route }>;

export function lazyPage(load: () => Promise<PageComponent>): PageComponent {
  return lazyPart(load);
}
