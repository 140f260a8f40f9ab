// Verifies tables block by block, slice by slice, so that others run between.

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Damage } from "./damage.ts";
import { isMissing } from "./manifest.ts";
import type { StoredTable } from "./survey.ts";
import { verifyTable } from "./table-file.ts";

export interface TablesReading {
  readonly onDamage: (damage: Damage) => void;
  /** Gets the bytes verified since the last call. */
  readonly onSlice?: (bytes: number) => Promise<void> | void;
  /** Ends the work early when aborted. */
  readonly signal?: AbortSignal;
}

/** A table that is gone by now was merged into others: whether one is missing is a matter of the survey. */
export async function verifyTables(folder: string, tables: readonly StoredTable[], { onDamage, onSlice, signal }: TablesReading): Promise<void> {
  for (const { file, bytes } of tables) {
    if (signal?.aborted) return;
    try {
      await verifyTable(join(folder, file), bytes, {
        onDamage: (found) => onDamage({ file, found }),
        onSlice: async (read) => {
          await setImmediate();
          await onSlice?.(read);
        },
      });
    } catch (reason) {
      if (isUnreadable(reason)) onDamage({ file, found: "cannot be read from the disk (EIO)" });
      else if (!isMissing(reason)) throw reason;
    }
  }
}

function isUnreadable(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "EIO";
}
