// A part whose code is read when it is first shown.

import type { ComponentType, JSX } from "preact";
import { Failure } from "./pieces.tsx";
import { useRequest } from "./use-request.ts";

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
        throw new Error("The code of this part cannot be read. If the server has another version since, load the console again.", { cause });
      });
      return loaded;
    }, []);
    if (Page !== undefined) return <Page {...props} />;
    return failure === undefined ? <p class="hint waiting">Loading…</p> : <Failure of={failure} again={again} />;
  };
}
