// The measures of one field over values that come one by one.

import type { Measure } from "../../contracts/storage/requests.ts";
import { compareValues } from "../../ground/values/compare.ts";
import type { Stored, Value, ValueKind } from "../../ground/values/value.ts";

/** Extremes, sum and average of one field, as `Measure` defines them. */
export class FieldMeasures {
  readonly #kind: ValueKind;
  #count = 0;
  #sum = 0;
  #longSum = 0n;
  #min: Value | undefined;
  #max: Value | undefined;

  constructor(kind: ValueKind) {
    this.#kind = kind;
  }

  /** Call it in ascending order of uids. Of equal extremes the first is kept. */
  take(value: Stored | undefined): void {
    // Lists have no measures. A value that the field's kind cannot represent does not equal itself.
    if (value === undefined || isList(value) || compareValues(this.#kind, value, value) !== 0) return;
    if (this.#min === undefined || compareValues(this.#kind, value, this.#min) < 0) this.#min = value;
    if (this.#max === undefined || compareValues(this.#kind, value, this.#max) > 0) this.#max = value;
    this.#count++;
    if (typeof value === "number") this.#sum += value;
    else if (typeof value === "bigint") this.#longSum += value;
  }

  value(kind: Exclude<Measure["kind"], "count">): Value | undefined {
    if (this.#count === 0) return undefined;
    if (kind === "min") return this.#min;
    if (kind === "max") return this.#max;
    if (this.#kind === "int64") return kind === "sum" ? this.#longSum : Number(this.#longSum) / this.#count;
    return kind === "sum" ? this.#sum : this.#sum / this.#count;
  }
}

function isList(value: Stored): value is readonly Value[] {
  return Array.isArray(value);
}
