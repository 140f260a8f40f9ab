// A field of a layout with what earlier layouts made of it, and the conversion of values that an earlier type left behind.

import {
  convertValue,
  type FieldLayout,
  type FieldName,
  fitsKind,
  type Layout,
  parseDateTime,
  type Stored,
  type TypeName,
  type Value,
  type ValueKind,
} from "../../core/storage.ts";
import type { LayoutHistory } from "./layout-history.ts";
import { LayoutNames } from "./layout-names.ts";
import { isList, valuesOf } from "./stored-values.ts";

/** What the layouts of a store, earlier ones included, say of a field. */
export interface FieldHistory {
  /** The field had another kind before: stored values may be of that kind. */
  readonly converted: boolean;
  /** Types that ever had the field. */
  readonly types: readonly TypeName[];
  /** Types of the current layout that have the field. */
  readonly holders: readonly TypeName[];
}

/** What earlier layouts left of each field of `layout`. */
export function fieldHistories(layout: Layout, history: LayoutHistory): (field: FieldName) => FieldHistory {
  const names = new LayoutNames(layout);
  return (field) => {
    const known = history.fields[field];
    const holders = names.holders(field);
    return { converted: known?.converted ?? false, types: [...new Set([...holders, ...(known?.types ?? [])])], holders };
  };
}

/** The base of a storage's own field runtime, which adds where the values lie. */
export class StoredField {
  readonly name: FieldName;
  readonly layout: FieldLayout;
  readonly kind: ValueKind;
  readonly list: boolean;
  /** Stored values may be of an earlier kind: compare them only after `asDeclared`. */
  readonly converted: boolean;
  /** Types that ever had the field: an index of it lists nodes of no other type. */
  readonly types: readonly TypeName[];

  constructor(layout: FieldLayout, { converted, types }: Pick<FieldHistory, "converted" | "types">) {
    this.name = layout.name;
    this.layout = layout;
    this.kind = layout.kind;
    this.list = layout.list;
    this.converted = converted;
    this.types = types;
  }

  /** `stored` as the declared type: a list where the field is one, values converted to its kind. A value that cannot be converted stays as it is. */
  asDeclared(stored: Stored | undefined): Stored | undefined {
    if (stored === undefined) return undefined;
    if (!this.converted) return this.list && !isList(stored) ? [stored] : stored;
    if (!isList(stored)) return this.list ? [this.#convert(stored)] : this.#convert(stored);
    return stored.map((each) => this.#convert(each));
  }

  /**
   * Whether `stored` is of a kind that the field never had, so that nobody can read it. What a deploy left of an earlier type is no mistake.
   */
  isMisfit(stored: Stored | undefined): boolean {
    if (stored === undefined || this.converted) return false;
    return (isList(stored) && !this.list) || valuesOf(stored).some((value) => !isOfKind(this.kind, value));
  }

  #convert(value: Value): Value {
    return fitsKind(this.kind, value) ? value : (convertValue(value, this.kind) ?? value);
  }
}

/** As `fitsKind`, for values of a database: a DateTime may be written in any way that can be read. */
function isOfKind(kind: ValueKind, value: Value | null): boolean {
  if (value === null || value === undefined) return false;
  return kind === "dateTime" ? typeof value === "string" && parseDateTime(value) !== undefined : fitsKind(kind, value);
}
