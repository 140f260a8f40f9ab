// The nodes to scan for a request's types and conditions, and the tests that each must pass.

import { type After, isLasting, type Predicate, type TypeName, type Uid, type Work } from "../../../core/storage.ts";
import type { Clause, Driven } from "./clause.ts";
import { conjuncts } from "./clauses.ts";
import { chooseDriver, flatten } from "./combined.ts";
import { ofTypes } from "./of-types.ts";
import type { Reader } from "./reader.ts";

/** The nodes to scan and their tests, which include the request's types and conditions. */
export interface Candidates {
  readonly driven: Driven;
  /** All conditions, for a scan of another index. */
  readonly clauses: readonly Clause[];
  /** Only nodes above it. */
  readonly after: Uid;
}

export function* planCandidates(reader: Reader, types: readonly TypeName[], where: Predicate | undefined): Work<Candidates> {
  const factors = where === undefined || where.kind === "all" ? [] : where.kind === "and" && !isLasting(where) ? where.of : [where];
  const after = factors.filter((each): each is After => each.kind === "after").reduce((bound, each) => Math.max(bound, each.uid), 0);
  const others = factors.filter((each) => each.kind !== "after");
  const parts = flatten(conjuncts(reader, others));
  const narrowed = parts.some((part) => part.stream !== undefined && part.covers?.every((type) => types.includes(type)));
  const clauses = narrowed ? parts : [...parts, ofTypes(reader, types)];
  return { driven: yield* chooseDriver(clauses), clauses, after };
}
