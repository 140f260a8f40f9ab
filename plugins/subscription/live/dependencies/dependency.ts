// What the answer of a live query depends on: one dependency for each read of its last run. Rebuilt after every run, tested on every commit.

import type { EndName, FieldName, Linked, Order, Place, Predicate, TypeName } from "../../../../core/plugin.ts";
import type { UidSet } from "./uid-set.ts";

export type Dependency = NodeDependency | LinkDependency;

/** Names of fields and ends. */
export type Properties = ReadonlySet<FieldName | EndName>;

/** The nodes of some types that satisfy a condition. */
export interface NodeDependency {
  readonly kind: "nodes";
  readonly types: ReadonlySet<TypeName>;
  readonly where: Predicate;
  /** Fields and ends that the answer shows. */
  readonly selectedFields: Properties;
  /** Fields and ends that decide which nodes are in the result: those of the condition, and of the order where a page cuts the list. */
  readonly filterFields: Properties;
  /** The nodes in the result; undefined: not recorded. */
  readonly resultUids: UidSet | undefined;
  /** Which part of an ordered list the result is; undefined: all of it. */
  readonly window: Window | undefined;
  /** The nodes were reached by links: a created or removed node shows in its links. */
  readonly linked: boolean;
  /** Only nodes with such a partner count. */
  readonly within: Within | undefined;
  /** Of semi-joins of `where` over several links: the partners that satisfied their conditions, which are dependencies of their own. */
  readonly reached: Reached | undefined;
}

export type Reached = ReadonlyMap<Linked, UidSet>;

/** A partner that a node must have: one of `to`, at its single end `end`. */
export interface Within {
  readonly end: EndName;
  readonly to: UidSet;
}

/** One page of an ordered list. */
export interface Window {
  readonly order: Order;
  /** The last row in the direction of paging; undefined: the page is not full. */
  readonly edge: Place | undefined;
  /** The page counts from the end of the list (`last`), so that its edge is its first row. */
  readonly fromEnd: boolean;
  /** The rows before the page were skipped and are not recorded. */
  readonly hasOffset: boolean;
}

/** The links that some nodes have at one end. */
export interface LinkDependency {
  readonly kind: "links";
  readonly end: EndName;
  readonly from: UidSet;
  readonly partners: NodeDependency;
  /** A page cut the lists: a partner outside the page may have moved others into it. */
  readonly paged: boolean;
}
