// Conditions taken apart: the fields that they read, and the semi-joins in them.

import type { FieldName, LayoutIndex, Linked, Predicate } from "../../../core/plugin.ts";

/** The fields that a condition reads of a node itself. */
export function fieldsIn(where: Predicate, index: LayoutIndex, found = new Set<FieldName>()): ReadonlySet<FieldName> {
  switch (where.kind) {
    case "and":
    case "or":
      for (const each of where.of) fieldsIn(each, index, found);
      break;
    case "not":
      fieldsIn(where.of, index, found);
      break;
    case "has":
    case "compare":
    case "check":
      found.add(where.field);
      break;
    case "lookup": {
      const field = index.index(where.index)?.field;
      if (field !== undefined) found.add(field);
    }
  }
  return found;
}

/** The semi-joins of a condition, without those inside them. */
export function linkedIn(where: Predicate): readonly Linked[] {
  switch (where.kind) {
    case "and":
    case "or":
      return where.of.flatMap(linkedIn);
    case "not":
      return linkedIn(where.of);
    case "linked":
      return [where];
    default:
      return [];
  }
}

/** The condition with each of its semi-joins replaced. */
export function withLinked(where: Predicate, replace: (linked: Linked) => Predicate): Predicate {
  switch (where.kind) {
    case "and":
    case "or":
      return { kind: where.kind, of: where.of.map((each) => withLinked(each, replace)) };
    case "not":
      return { kind: "not", of: withLinked(where.of, replace) };
    case "linked":
      return replace(where);
    default:
      return where;
  }
}
