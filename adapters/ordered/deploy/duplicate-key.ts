// A key that several nodes hold, as a sentence that shows the values.

import type { Uid } from "../../../core/storage.ts";
import { keyViolation } from "../../storage-kit/index.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import type { KeyRuntime, LayoutRuntime } from "./layout-runtime.ts";

export function duplicateKey(
  schema: LayoutRuntime,
  view: EntryView,
  { key, groups }: { readonly key: KeyRuntime; readonly groups: readonly (readonly Uid[])[] },
): string {
  const held = groups.map((uids) => {
    const record = schema.nodes.records.keyspace.read(uids[0] ?? 0, view);
    return { values: key.fields.map((field) => record && field.read(record)), uids };
  });
  return keyViolation(key.layout.fields, held);
}
