// Compiles predicates for one view, each kind by its own file.

import { type After, type Compare, isLasting, type Predicate } from "../../../core/storage.ts";
import { type Clause, everything, nothing, ofStream } from "./clause.ts";
import { cachedClause } from "./clause-cache.ts";
import { allOf, anyOf, complementOf } from "./combined.ts";
import { compare, compareAny, has } from "./comparisons.ts";
import { compoundClause } from "./compound-clause.ts";
import { keyProbe } from "./key-probe.ts";
import { ofTypes } from "./of-types.ts";
import type { Reader } from "./reader.ts";
import { linked } from "./semi-joins.ts";
import { streamOf } from "./stream.ts";
import { check, lookup } from "./text-tests.ts";

export function compileClause(reader: Reader, predicate: Predicate): Clause {
  return isLasting(predicate) ? cachedClause(reader, predicate, () => compile(reader, predicate)) : compile(reader, predicate);
}

function compile(reader: Reader, predicate: Predicate): Clause {
  switch (predicate.kind) {
    case "all":
      return everything;
    case "none":
      return nothing;
    case "and":
      return allOf(reader, conjuncts(reader, predicate.of));
    case "or":
      return anyOf(reader, alternatives(reader, predicate.of));
    case "not":
      return complementOf(compileClause(reader, predicate.of));
    case "type":
      return ofTypes(reader, predicate.types);
    case "uids":
      return ofStream(streamOf(predicate.uids));
    case "after":
      return after(predicate);
    case "has":
      return has(reader, predicate);
    case "compare":
      return compare(reader, predicate);
    case "lookup":
      return lookup(reader, predicate);
    case "check":
      return check(reader, predicate, predicate.within && compileClause(reader, predicate.within));
    case "linked":
      return linked(reader, predicate, compileClause(reader, predicate.where));
  }
}

/** The parts of a conjunction; a key that they name whole is one more, and so is a list of a compound index. */
export function conjuncts(reader: Reader, predicates: readonly Predicate[]): readonly Clause[] {
  const probe = keyProbe(reader, predicates);
  const parts = compiled(reader, predicates);
  const listed = compoundClause(reader, predicates, (predicate) => parts[predicates.indexOf(predicate)]);
  return [probe, listed, ...parts].filter((part) => part !== undefined);
}

function compiled(reader: Reader, predicates: readonly Predicate[]): readonly Clause[] {
  return predicates.map((each) => compileClause(reader, each));
}

/** Several ranges over one field are read as one. */
function alternatives(reader: Reader, predicates: readonly Predicate[]): readonly Clause[] {
  const ranges = new Map<string, Compare[]>();
  const others: Predicate[] = [];
  for (const each of predicates) {
    if (each.kind !== "compare" || isLasting(each) || each.op === "eq" || each.op === "in") others.push(each);
    else
      ranges
        .set(each.field, ranges.get(each.field) ?? [])
        .get(each.field)
        ?.push(each);
  }
  const read = [...ranges.values()].flatMap((compares): readonly Clause[] => {
    const together = compares.length > 1 ? compareAny(reader, compares) : undefined;
    return together ? [together] : compiled(reader, compares);
  });
  return [...read, ...compiled(reader, others)];
}

function after({ uid: bound }: After): Clause {
  return { estimate: Number.POSITIVE_INFINITY, tester: () => (uid) => uid > bound, records: false, cost: 0 };
}
