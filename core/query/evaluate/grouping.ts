// Groups rows by equal keys, without an index: the plain meaning of `Snapshot.group`.

import type { GroupKey, GroupRequest, Measure } from "../../contracts/storage/requests.ts";
import type { Batch, Group } from "../../contracts/storage/results.ts";
import { compareValues } from "../../ground/values/compare.ts";
import { parseDateTime } from "../../ground/values/date-time.ts";
import { startOfUnit } from "../../ground/values/time-unit.ts";
import type { EndName, FieldName, Stored, Value, ValueKind } from "../../ground/values/value.ts";
import { FieldMeasures } from "./field-measures.ts";

/** As how many touched nodes a group counts (`Budget.spend`): it takes memory until the request has chosen the groups that it shows. */
export const nodesOfGroup = 10;

/** @param kindOf the kind of a field; undefined for an end */
type KindOf = (name: FieldName | EndName) => ValueKind | undefined;

/** The columns that a grouping needs of its rows: keys, then measured fields. */
export function groupingColumns({ by, measures }: Pick<GroupRequest, "by" | "measures">): readonly (FieldName | EndName)[] {
  return [...new Set([...by.map(({ field }) => field), ...measures.flatMap(fieldOf)])];
}

function fieldOf(measure: Measure): readonly FieldName[] {
  return measure.kind === "count" ? [] : [measure.field];
}

type Branches = Map<Value | undefined, Branches | Gathered>;

interface Gathered {
  readonly keys: readonly (Value | undefined)[];
  count: number;
  readonly fields: ReadonlyMap<FieldName, FieldMeasures>;
}

/**
 * Groups the rows of batches:
 *
 *     const grouping = new Grouping({ by: [{ field: "Post.year" }], measures: [{ kind: "count" }] }, (name) => kinds.get(name));
 *     grouping.take(await snapshot.find({ types: ["Post"], fields: grouping.columns }));
 *     grouping.groups(); // [{ keys: [2031], measures: [2] }]
 */
export class Grouping {
  /** What `take` needs of each batch, in this order. */
  readonly columns: readonly (FieldName | EndName)[];
  readonly #request: Pick<GroupRequest, "by" | "measures">;
  readonly #kindOf: KindOf;
  readonly #keyOf: readonly ((stored: Stored | undefined) => Value | undefined)[];
  readonly #measured: readonly FieldName[];
  readonly #root: Branches = new Map();
  readonly #groups: Gathered[] = [];

  constructor(request: Pick<GroupRequest, "by" | "measures">, kindOf: KindOf) {
    this.#request = request;
    this.#kindOf = kindOf;
    this.columns = groupingColumns(request);
    this.#measured = [...new Set(request.measures.flatMap(fieldOf))];
    this.#keyOf = request.by.map((key) => groupKeyReader(key, kindOf(key.field)));
  }

  /**
   * Call it in ascending order of uids.
   *
   * @param rows which rows of the batch; by default all
   */
  take({ uids, columns }: Pick<Batch, "uids" | "columns">, rows: Iterable<number> = uids.keys()): void {
    const keyed = this.#request.by.map(({ field }) => columns[this.columns.indexOf(field)] ?? []);
    const measured = this.#measured.map((field) => columns[this.columns.indexOf(field)] ?? []);
    for (const row of rows) {
      const group = this.#groupOf(this.#keyOf.map((read, k) => read(keyed[k]?.[row])));
      group.count++;
      for (const [m, field] of this.#measured.entries()) group.fields.get(field)?.take(measured[m]?.[row]);
    }
  }

  /** The number of groups so far. */
  get size(): number {
    return this.#groups.length;
  }

  groups(): readonly Group[] {
    return this.#groups.map(({ keys, count, fields }) => ({
      keys,
      measures: this.#request.measures.map((measure) => (measure.kind === "count" ? count : fields.get(measure.field)?.value(measure.kind))),
    }));
  }

  #groupOf(keys: readonly (Value | undefined)[]): Gathered {
    let branches = this.#root;
    for (const [depth, key] of keys.entries()) {
      const known = branches.get(key);
      if (depth === keys.length - 1) {
        if (known && !(known instanceof Map)) return known;
        const made = { keys, count: 0, fields: new Map(this.#measured.map((field) => [field, new FieldMeasures(this.#kindOf(field) ?? "string")])) };
        branches.set(key, made);
        this.#groups.push(made);
        return made;
      }
      const next: Branches = known instanceof Map ? known : new Map();
      branches.set(key, next);
      branches = next;
    }
    throw new TypeError("a grouping has at least one key");
  }
}

/** Reads the key of a stored value. Instants of one unit are one text. */
export function groupKeyReader({ unit }: GroupKey, kind: ValueKind | undefined): (stored: Stored | undefined) => Value | undefined {
  if (kind === undefined) return (stored) => (typeof stored === "number" ? stored : undefined);
  if (kind === "dateTime") {
    return (stored) => {
      const instant = typeof stored === "string" ? parseDateTime(stored) : undefined;
      return instant && startOfUnit(instant, unit);
    };
  }
  return (stored) => (stored === undefined || isList(stored) || compareValues(kind, stored, stored) !== 0 ? undefined : stored === 0 ? 0 : stored);
}

function isList(value: Stored): value is readonly Value[] {
  return Array.isArray(value);
}
