// A page whose code is read when it is first shown: who looks at data does not wait for the editors of other pages.

import type { ComponentType } from "preact";
import { Failure } from "../parts/pieces.tsx";
import type { Route } from "../parts/router.ts";
import { useRequest } from "../parts/use-request.ts";

export type PageComponent = ComponentType<{ readonly route: Route }>;

/** @param load is called again after it failed */
export function lazyPage(load: () => Promise<PageComponent>): PageComponent {
  let loaded: PageComponent | undefined;
  return function LazyPage({ route }) {
    const {
      value: Page = loaded,
      failure,
      again,
    } = useRequest(async () => {
      loaded ??= await load().catch((cause: unknown) => {
        throw new Error("The code of this page cannot be read. If the server has another version since, load the console again.", { cause });
      });
      return loaded;
    }, []);
    if (Page !== undefined) return <Page route={route} />;
    return failure === undefined ? <p class="hint waiting">Loading…</p> : <Failure of={failure} again={again} />;
  };
}
