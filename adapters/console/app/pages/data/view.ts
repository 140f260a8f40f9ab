// What the table shows, as the address holds it: filter, order, columns, the row at the top. Reloading, going back and sharing keep it.

import { useMemo } from "preact/hooks";
import type { ApiModel, Field, NodeType } from "../../model/api-model.ts";
import { filterOfText, type Group, textOfFilter } from "../../model/filter-tree.ts";
import type { Order } from "../../model/nodes.ts";
import { changeParameters, type Route } from "../../parts/router.ts";

export interface View {
  readonly filter: Group;
  readonly orders: readonly Order[];
  /** Those that are shown, in the order of the type. */
  readonly columns: readonly Field[];
  /** At the top of the table when it is opened. */
  readonly row: number;
}

export interface ViewChange {
  readonly filter?: Group;
  readonly orders?: readonly Order[];
  readonly hidden?: ReadonlySet<string>;
}

export function useView(model: ApiModel, type: NodeType, { parameters }: Route): View {
  const { where = "", order = "", hide = "", row = "" } = parameters;
  const filter = useMemo(() => filterOfText(model, type, where), [model, type, where]);
  const orders = useMemo(() => ordersOf(type, order), [type, order]);
  const columns = useMemo(() => columnsOf(type, new Set(hide.split(","))), [type, hide]);
  return { filter, orders, columns, row: /^\d{1,6}$/.test(row) ? Number(row) : 0 };
}

export function changeView({ filter, orders, hidden }: ViewChange): void {
  changeParameters({
    row: "",
    ...(filter && { where: textOfFilter(filter) }),
    ...(orders && { order: orders.map(({ field, direction }) => `${direction === "desc" ? "-" : ""}${field}`).join(",") }),
    ...(hidden && { hide: [...hidden].join(",") }),
  });
}

function ordersOf(type: NodeType, text: string): readonly Order[] {
  return text.split(",").flatMap((each): readonly Order[] => {
    const field = each.replace(/^-/, "");
    if (!type.fields.some(({ name }) => name === field)) return [];
    return [{ field, direction: each.startsWith("-") ? "desc" : "asc" }];
  });
}

/** A table has one column at least. */
function columnsOf({ fields }: NodeType, hidden: ReadonlySet<string>): readonly Field[] {
  const left = fields.filter(({ name }) => !hidden.has(name));
  return left.length === 0 ? fields.slice(0, 1) : left;
}
