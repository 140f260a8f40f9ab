// A key that several nodes hold, as a sentence that shows the values.

import type { Uid } from "../../../core/storage.ts";
import { keyViolation } from "../../storage-kit/index.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import type { KeyRuntime, LayoutRuntime } from "../layout/layout-runtime.ts";
import { keyPartsOf, type PartnerAt } from "../write/entries.ts";

/** @param partnersOf how to find the partners of a node */
export function duplicateKey(
  schema: LayoutRuntime,
  view: EntryView,
  {
    key,
    groups,
    partnersOf,
  }: { readonly key: KeyRuntime; readonly groups: readonly (readonly Uid[])[]; readonly partnersOf: (uid: Uid) => PartnerAt },
): string {
  const held = groups.map((uids) => {
    const [first = 0] = uids;
    const record = schema.nodes.records.keyspace.read(first, view) ?? {};
    return { ...keyPartsOf(key, record, partnersOf(first)), uids };
  });
  return keyViolation(key.layout, held);
}
