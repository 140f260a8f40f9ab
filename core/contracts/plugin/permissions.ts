// Column-level permissions: what a request may do with fields and links.

import type { EndName, FieldName, TypeName } from "../../ground/values/value.ts";

/**
 * What a request may do with fields and links, by storage name:
 *
 *     // Guests read names, and write nothing.
 *     const guest: Permissions = {
 *       mayRead: (name) => name === "Author.name",
 *       checkWrites: () => {
 *         throw new QuernError("REQUEST_REFUSED", "guests cannot write");
 *       },
 *     };
 *     return { permissions: ({ facts }) => (facts.user === undefined ? guest : undefined) };
 *
 * A field that the request may not read has no value: null or an empty list in answers, null in aggregates, also the count of a link. Filters,
 * orders and `@cascade` ignore it, and a key finds nothing. A filter of an update or a delete that names it matches no node. Keys stay unique
 * whatever the request may read, and an input refers to no node by a key that it may not read. `narrow` and the conditions of rules see every field.
 */
export interface Permissions {
  /** Called for each field that an operation touches. */
  readonly mayRead: (name: FieldName | EndName) => boolean;
  /** Throws a `QuernError` to refuse a mutation that writes these. Nothing is written then. May run again. */
  readonly checkWrites: (written: WrittenNames) => void;
}

/**
 * What a mutation writes, as far as its input says it: also where no node matches, and where a value stays the same. An object below the top with a key that
 * the request may not read counts as a new one.
 */
export interface WrittenNames {
  /** Types of which it creates or removes nodes. */
  readonly types: readonly TypeName[];
  /** Fields and links in the order of the input. A link counts from both sides where both have a name. A delete writes all of its types. */
  readonly names: readonly (FieldName | EndName)[];
}
