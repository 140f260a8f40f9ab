// The rows of a view: those that the indexes give, or those that a scan has found.

import { useMemo, useState } from "preact/hooks";
import type { ApiModel, NodeType } from "../../model/api-model.ts";
import { planOf } from "../../model/filter-plan.ts";
import type { Group } from "../../model/filter-tree.ts";
import type { Order } from "../../model/nodes.ts";
import { useConsole } from "../../parts/console-context.ts";
import { needsScan } from "../../scan/scan.ts";
import { type ScanState, useScan } from "../../scan/use-scan.ts";
import { indexedRows, type RowSource, scannedRows } from "./row-source.ts";
import { type Rows, useRows } from "./rows.ts";

export interface TableView {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly filter: Group;
  readonly orders: readonly Order[];
}

export interface TableRows {
  readonly rows: Rows;
  /** Undefined: the indexes answer the view. */
  readonly scan: ScanState | undefined;
  /** Whether somebody has written since the scan. */
  readonly isOld: boolean;
  readonly noteChanges: (commits: number) => void;
}

export function useTableRows(view: TableView): TableRows {
  const { model, type, filter, orders } = view;
  const { server, identity } = useConsole();
  const [old, setOld] = useState(-1);
  const of = useMemo(() => ({ server, identity, model, type, filter, orders }), [server, identity, model, type, filter, orders]);
  const scans = useMemo(() => isScanned(view), [of]);
  const scan = useScan(scans ? of : undefined);
  const source = useMemo(
    (): RowSource => (scans ? scannedRows(of, scan.found ?? [], `scan ${scan.run}`) : indexedRows(of, indexedFilter(view), orders)),
    [of, scans, scan.found],
  );
  const rows = useRows(source);
  return {
    rows: scans && scan.found === undefined ? { ...rows, total: undefined, failure: undefined } : rows,
    scan: scans ? scan : undefined,
    isOld: old === scan.run,
    noteChanges: (commits) => commits > 0 && scan.found !== undefined && setOld(scan.run),
  };
}

function isScanned(view: TableView): boolean {
  try {
    return needsScan(view);
  } catch {
    // The scan fails with the reason.
    return true;
  }
}

function indexedFilter({ model, type, filter }: TableView) {
  return planOf(model, type, filter).indexed;
}
