// Refuses values that are too long, whoever made them, before they are written. Values that were stored before a limit was set are read, replaced and removed.

import type { Change } from "../../contracts/change.ts";
import type { Layout, TokenIndex } from "../../contracts/layout.ts";
import { tooManyCharacters, tooManyTokens, unitsAlwaysAllowed, type ValueLimits } from "../../ground/value-limits.ts";
import { isGeometry } from "../../ground/values/compare.ts";
import type { FieldName, Geometry, Stored, Token, TypeName, Value } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";

type NameOf = (type: TypeName, field: FieldName) => string;

/** Tokens between two steps. */
const stepTokens = 64;

export class LongValues {
  readonly #limits: ValueLimits;
  readonly #layout: Pick<Layout, "indexes">;
  readonly #nameOf: NameOf;
  /** By field, the text that was looked at last: an update sets the same in many nodes. */
  readonly #known = new Map<FieldName, Value>();

  constructor(limits: ValueLimits, layout: Pick<Layout, "indexes">, nameOf: NameOf) {
    this.#limits = limits;
    this.#layout = layout;
    this.#nameOf = nameOf;
  }

  /** @throws QuernError LIMIT_REACHED for a value that is too long, or has too many tokens */
  *check(changes: readonly Change[]): Work<void> {
    for (const change of changes) {
      if (change.kind !== "create" && change.kind !== "set") continue;
      for (const name in change.fields) {
        for (const value of newValues(change.kind, change.fields[name])) yield* this.#checkValue(change.type, name, value);
      }
    }
  }

  *#checkValue(type: TypeName, field: FieldName, value: Value): Work<void> {
    const units = unitsOf(value);
    if (units <= unitsAlwaysAllowed(this.#limits) || this.#known.get(field) === value) return;
    if (units > this.#limits.maxValueCharacters) throw tooManyCharacters(`The value of ${this.#nameOf(type, field)}`, units, this.#limits);
    for (const index of this.#layout.indexes) {
      if (index.by === "tokens" && index.field === field && typeof value === "string") yield* this.#countTokens(type, index, value);
    }
    this.#known.set(field, value);
  }

  *#countTokens(type: TypeName, { name, field, tokens }: TokenIndex, text: string): Work<void> {
    const distinct = new Set<Token>();
    let left = stepTokens;
    for (const token of tokens(text)) {
      distinct.add(token);
      if (--left > 0) continue;
      left = stepTokens;
      yield;
    }
    if (distinct.size > this.#limits.maxTokensPerValue)
      throw tooManyTokens(`The value of ${this.#nameOf(type, field)} in the index ${name}`, distinct.size, this.#limits);
  }
}

/** Whether one of the values may be too long. */
export function haveLongValue(changes: readonly Change[], limits: ValueLimits): boolean {
  const most = unitsAlwaysAllowed(limits);
  for (const change of changes) {
    if (change.kind !== "create" && change.kind !== "set") continue;
    for (const name in change.fields) {
      const stored = change.fields[name];
      if (typeof stored === "string" ? stored.length > most : newValues(change.kind, stored).some((value) => unitsOf(value) > most)) return true;
    }
  }
  return false;
}

const noValues: readonly Value[] = [];

/** The values that are not there yet: a list that is set holds those of before too. */
function newValues(kind: "create" | "set", stored: Stored | null | undefined): readonly Value[] {
  if (typeof stored === "string") return [stored];
  if (typeof stored !== "object" || stored === null) return noValues;
  if (isList(stored)) return kind === "create" ? stored : noValues;
  return [stored];
}

function isList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}

/** What a point of a geometry counts as: finding the cells of an area takes far longer than its digits. */
const unitsOfPoint = 100;

function unitsOf(value: Value): number {
  if (typeof value === "string") return value.length;
  return isGeometry(value) ? pointsOf(value) * unitsOfPoint : 0;
}

function pointsOf(geometry: Geometry): number {
  if (geometry.type === "Point") return 1;
  const rings = geometry.type === "Polygon" ? geometry.coordinates : geometry.coordinates.flat();
  return rings.reduce((sum, ring) => sum + ring.length, 0);
}
