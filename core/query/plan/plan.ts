// A planned operation: what the document asks for, resolved against the generated API once and cached per document.
// Frozen data; only variables, claims and the data themselves are missing.

import type { Location } from "../../ground/errors.ts";
import type { RootOperation } from "../../schema/api/api.ts";
import type { Selection } from "../level/selection.ts";

export interface OperationPlan {
  readonly kind: "query" | "mutation" | "subscription";
  /** In document order, same keys merged. Introspection fields have no plan: `introspects` says that `graphql` must answer them. */
  readonly roots: readonly RootPlan[];
  /** The root fields of a mutation run in one transaction. */
  readonly atomic: boolean;
  /** Some root field is `__schema`, `__type` or `__typename`. */
  readonly introspects: boolean;
  /** Seconds of `@cacheControl(maxAge:)`. */
  readonly maxAgeSeconds: number | undefined;
}

export interface RootPlan {
  /** The name in the answer. */
  readonly key: string;
  /** The field's own name. */
  readonly field: string;
  readonly location: Location;
  readonly operation: RootOperation;
  /** A null of this field makes the whole `data` null. */
  readonly nonNull: boolean;
  /** Coerces the arguments with the values of one request. An argument that is absent or a null variable is left out, except of a plugin's field. */
  readonly arguments: (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** The arguments as the client wrote them, with the variables that it sent. */
  readonly sent: (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** False when `@skip` or `@include` takes the field out. */
  readonly included: (variables: Readonly<Record<string, unknown>>) => boolean;
  readonly selection: Selection;
  /** How many nodes an update or a delete must be about. Undefined: any number. */
  readonly counts: ((variables: Readonly<Record<string, unknown>>) => readonly CountBounds[]) | undefined;
}

/** Undefined: there is no such bound. */
export interface CountBounds {
  readonly atLeast: number | undefined;
  readonly atMost: number | undefined;
}
