// What the registry stores for each dependency.

import type { Dependency } from "./dependency.ts";
import type { DependencyKey } from "./dependency-key.ts";

/** A dependency, the query that has it, and the key it is indexed by. */
export interface Registration<Owner> {
  dependency: Dependency;
  readonly owner: Owner;
  readonly key: DependencyKey;
  /** Fields and ends of a touched node that must be loaded to test it. */
  readonly requiredFields: readonly string[];
}
