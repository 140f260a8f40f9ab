// What an operation selects may depend on variables in `@skip`, `@include` and `@cascade`. It is worked out once for each set of their
// values, and bounded: with its fragments written out, a page of text may be a plan of gigabytes.

import type { FieldNode } from "graphql";
import { QuernError } from "../../ground/errors.ts";
import { defaultLimits } from "../../ground/limits.ts";
import type { Work } from "../../ground/work.ts";
import type { RootShape, Variables } from "../level/selection.ts";
import { PlannedParts, type SelectionCount } from "./planned-parts.ts";

export interface PlanBounds {
  /** Of all root fields together, under one set of values. */
  readonly maxSelections: number;
  /** Called with the change of the number of selections in all cached plans; negative when they shrink. */
  readonly grown?: (selections: number) => void;
}

/** More than these are not kept: a client may send any list in a `@cascade` variable. */
const maxKept = 64;

export class SelectionCache {
  readonly #names: readonly string[];
  readonly #bounds: PlanBounds;
  readonly #kept = new Map<string, Variant>();
  #only: Variant | undefined;

  /** @param names of the variables that decide */
  constructor(names: readonly string[], bounds: PlanBounds = defaultLimits) {
    this.#names = names;
    this.#bounds = bounds;
  }

  /** @param variables undefined: selections that depend on one are included */
  of(variables: Variables | undefined): Variant {
    if (this.#names.length > 0) return this.#keptFor(variables);
    this.#only ??= new Variant({}, this.#bounds);
    return this.#only;
  }

  #keptFor(variables: Variables | undefined): Variant {
    const values = variables && this.#names.map((name) => variables[name] ?? null);
    const key = values === undefined ? "" : JSON.stringify(values);
    let variant = this.#kept.get(key);
    if (variant === undefined) {
      if (this.#kept.size >= maxKept) this.#forget();
      // The others may be long, and decide nothing.
      variant = new Variant(values && Object.fromEntries(this.#names.map((name, i) => [name, values[i]])), this.#bounds);
      this.#kept.set(key, variant);
    }
    return variant;
  }

  #forget(): void {
    for (const { selections } of this.#kept.values()) this.#bounds.grown?.(-selections);
    this.#kept.clear();
  }
}

export type RootFields = ReadonlyMap<string, readonly FieldNode[]>;

/** The plan under one set of values, as far as it was asked for. */
export class Variant {
  readonly variables: Variables | undefined;
  readonly parts = new PlannedParts();
  readonly #bounds: PlanBounds;
  readonly #shapes = new Map<string, RootShape>();
  #fields: RootFields | undefined;
  #selections = 0;
  /** It was too large once: it always is. */
  #refusal: QuernError | undefined;

  constructor(variables: Variables | undefined, bounds: PlanBounds) {
    this.variables = variables;
    this.#bounds = bounds;
  }

  /** Visited for everything that is planned. */
  get selections(): number {
    return this.#selections;
  }

  /** Counts visited selections. Errors: `LIMIT_REACHED`. */
  readonly looked = (selections: number): void => {
    this.assertRoom(selections);
    this.#selections += selections;
    this.#bounds.grown?.(selections);
  };

  /** @throws QuernError LIMIT_REACHED when the whole plan is too large with so many selections more */
  assertRoom(selections: number): void {
    const { maxSelections } = this.#bounds;
    if (this.#selections + selections <= maxSelections) return;
    this.#refusal ??= tooMany(maxSelections);
    throw this.#refusal;
  }

  /** By key, the root fields that ask for it. */
  fields(collect: () => RootFields): RootFields {
    this.#fields ??= collect();
    return this.#fields;
  }

  /** Of the root field with this key; undefined when it is not planned yet. */
  shape(key: string): RootShape | undefined {
    return this.#shapes.get(key);
  }

  /** Several requests may plan the same root field at the same time; the first to end counts. */
  *plan(key: string, work: (count: SelectionCount) => Work<RootShape>): Work<RootShape> {
    if (this.#refusal) throw this.#refusal;
    const count = new RootCount(this);
    const shape = yield* work(count);
    const known = this.#shapes.get(key);
    if (known) return known;
    count.end();
    this.#shapes.set(key, shape);
    return shape;
  }
}

/** The selections of one root field while it is being planned. Those of a plugin's values are visited later, when a value is completed. */
class RootCount implements SelectionCount {
  readonly #variant: Variant;
  #selections = 0;
  #hasEnded = false;

  constructor(variant: Variant) {
    this.#variant = variant;
  }

  get selections(): number {
    return this.#selections;
  }

  readonly looked = (selections: number): void => {
    if (this.#hasEnded) {
      this.#variant.looked(selections);
    } else {
      this.#selections += selections;
      this.#variant.assertRoom(this.#selections);
    }
  };

  end(): void {
    this.#variant.looked(this.#selections);
    this.#hasEnded = true;
  }
}

function tooMany(most: number): QuernError {
  return new QuernError(
    "LIMIT_REACHED",
    `The operation asks for more than ${most} fields when its fragments are written out (limits.maxSelections). Nest it less, or ask in parts.`,
  );
}
