// Columns of a level whose values callers get otherwise than they are stored.

import type { EndName, FieldName, TypeName } from "../../ground/values/value.ts";
import type { ShownFields, ShownValue } from "../../schema/api/api.ts";

/** One of the columns of a batch. */
export interface ShownColumn {
  readonly column: number;
  readonly byType: ReadonlyMap<TypeName, ShownValue>;
}

/** Why values could not be shown: a message by column, then by row. */
export type FailedValues = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** Undefined: all columns are shown as they are stored. */
export function shownColumns(names: readonly (FieldName | EndName)[], shown: ShownFields | undefined): readonly ShownColumn[] | undefined {
  if (shown === undefined) return undefined;
  const found = names.flatMap((name, column) => {
    const byType = shown.get(name);
    return byType ? [{ column, byType }] : [];
  });
  return found.length === 0 ? undefined : found;
}
