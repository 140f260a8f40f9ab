// Values as callers get them, where a plugin shows others than the stored ones. What is hidden from a caller is taken out before.

import type { RequestView } from "../../contracts/plugin/request-view.ts";
import type { Batch, Column } from "../../contracts/storage/results.ts";
import { QuernError } from "../../ground/errors.ts";
import { PluginFault } from "../../ground/plugin-fault.ts";
import type { Stored } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";
import type { ShownValue } from "../../schema/api/api.ts";
import type { Log } from "../../telemetry/log.ts";
import type { FailedValues, ShownColumn } from "../level/shown-columns.ts";
import { notShown } from "../write/error-messages.ts";

/** For whom values are shown. */
export interface Showing {
  readonly request: RequestView;
  readonly log: Log;
}

export interface ShownRows {
  readonly batch: Batch;
  /** Undefined: none failed. */
  readonly failed: FailedValues | undefined;
}

/** Values that are shown without a pause. */
const stride = 64;

/** The rows with the values that a caller gets. A value that its plugin cannot show is absent. */
export function* showRows(batch: Batch, columns: readonly ShownColumn[], showing: Showing): Work<ShownRows> {
  if (batch.uids.length === 0) return { batch, failed: undefined };
  const shown = [...batch.columns];
  const failed = new Map<number, ReadonlyMap<number, string>>();
  for (const { column, byType } of columns) {
    const failures = new Map<number, string>();
    const values: (Stored | undefined)[] = [];
    for (const [row, stored] of (batch.columns[column] ?? []).entries()) {
      const how = stored === undefined ? undefined : byType.get(batch.types[row] ?? "");
      values.push(how && stored !== undefined ? showValue(stored, how, { showing, failures, row }) : stored);
      if (row % stride === stride - 1) yield;
    }
    shown[column] = values satisfies Column;
    if (failures.size > 0) failed.set(column, failures);
  }
  return { batch: { ...batch, columns: shown }, failed: failed.size === 0 ? undefined : failed };
}

interface ValuePlace {
  readonly showing: Showing;
  /** Messages by row. */
  readonly failures: Map<number, string>;
  readonly row: number;
}

function showValue(stored: Stored, { show, field, plugin }: ShownValue, { showing, failures, row }: ValuePlace): Stored | undefined {
  const { request, log } = showing;
  try {
    return show(stored, request);
  } catch (thrown) {
    if (!(thrown instanceof QuernError || thrown instanceof PluginFault)) throw thrown;
    // One entry of the log stands for all rows: a lost key fails for each of them.
    if (thrown instanceof PluginFault && failures.size === 0) log.fault(thrown, { requestID: request.id, plugin });
    failures.set(row, thrown instanceof QuernError ? thrown.message : notShown(field.name, plugin));
    return undefined;
  }
}
