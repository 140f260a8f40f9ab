// The kind of fault that a damaged entry is reported as, by its key.

import type { Fault } from "../../../core/storage.ts";
import { uidFromText } from "../keyspaces/keys.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";

export function kindOfCell({ nodes, keys, linkStores }: LayoutRuntime, key: string): Fault["kind"] {
  if (key.startsWith(nodes.id)) return key.startsWith(`${nodes.id}n`) ? "record" : "type";
  const slash = key.indexOf("/");
  const id = uidFromText(key.slice(1, slash));
  if (keys.some((each) => each.id === id)) return "key";
  if (linkStores.some((each) => each.id === id)) return "edge";
  return key[slash + 1] === "v" ? "column" : "index";
}
