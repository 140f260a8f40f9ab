// Nodes that a view need not read, because its rows have shown links to them: no link leads to a missing node.

import type { Column, TypeName, Uid } from "../../../core/storage.ts";
import { otherSide } from "../../storage-kit/index.ts";
import type { EndRuntime } from "../layout/layout-runtime.ts";

/** Longer columns are not kept: to go through them would take a turn too long, and beside such a read another round trip is nothing. */
const mostRows = 10_000;

export class KnownPartners {
  readonly #types = new Map<Uid, TypeName>();
  /** Columns that were shown and not looked at yet: most are never asked about. */
  #columns: { readonly type: TypeName; readonly column: Column }[] = [];

  /** Notes the partners of a column. Only where all layouts allowed one type there: a hidden partner may be of any other one. */
  show(end: EndRuntime, column: Column): void {
    const [type, ...others] = end.store.types[otherSide(end.own)];
    if (type !== undefined && others.length === 0 && column.length <= mostRows) this.#columns.push({ type, column });
  }

  /** The types of these nodes; undefined: some are not known. */
  typesOf(uids: readonly Uid[]): readonly TypeName[] | undefined {
    for (const { type, column } of this.#columns) for (const uid of column) if (typeof uid === "number") this.#types.set(uid, type);
    this.#columns = [];
    const types: TypeName[] = [];
    for (const uid of uids) {
      const type = this.#types.get(uid);
      if (type === undefined) return undefined;
      types.push(type);
    }
    return types;
  }

  /** A write may have removed some. */
  forget(): void {
    this.#types.clear();
    this.#columns = [];
  }
}
