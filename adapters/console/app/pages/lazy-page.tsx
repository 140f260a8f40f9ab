// A page whose code is read when it is first shown: who looks at data does not wait for the editors of other pages.

import type { ComponentType, JSX } from "preact";
import { Failure } from "../parts/pieces.tsx";
import type { Route } from "../parts/router.ts";
import { useRequest } from "../parts/use-request.ts";

export type PageComponent = ComponentType<{ readonly route: Route }>;

export function lazyPage(load: () => Promise<PageComponent>): PageComponent {
  return lazyPart(load);
}

/** @param load is called again after it failed */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => JSX.Element {
  let loaded: ComponentType<Props> | undefined;
  return function LazyPart(props) {
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
    if (Page !== undefined) return <Page {...props} />;
    return failure === undefined ? <p class="hint waiting">Loading…</p> : <Failure of={failure} again={again} />;
  };
}
