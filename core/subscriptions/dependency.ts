// What the answer of a live query hangs on, one watch for each thing it read. Built after every run; asked when something was committed.

import type { Predicate } from "../contracts/predicate.ts";
import type { Order } from "../contracts/storage.ts";
import type { EndName, FieldName, TypeName } from "../ground/values/value.ts";
import type { OrderedRow } from "../query/evaluate/top.ts";
import type { UidSet } from "./uid-set.ts";

export type Dependency = NodeDependency | LinkDependency;

/** Fields and ends by name. */
export type Properties = ReadonlySet<FieldName | EndName>;

/** The nodes of some types that satisfy a condition. */
export interface NodeDependency {
  readonly kind: "nodes";
  readonly types: ReadonlySet<TypeName>;
  readonly where: Predicate;
  /** What the answer shows of the nodes in it. */
  readonly shown: Properties;
  /** What decides which nodes are in it: the condition's, and the order's where the list is cut. */
  readonly decides: Properties;
  /** The nodes in the answer; undefined: nobody wrote down which they were. */
  readonly members: UidSet | undefined;
  /** Which part of an ordered list the members are; undefined: all of it. */
  readonly window: Window | undefined;
  /** Nodes were reached by links: one that is new or gone shows by its links. */
  readonly linked: boolean;
  /** Only nodes with such a partner count. */
  readonly within: Within | undefined;
}

export interface Within {
  /** A single end. */
  readonly end: EndName;
  readonly to: UidSet;
}

export interface Window {
  readonly order: Order;
  /** The row at the open side of the window; undefined when there was room left. */
  readonly edge: OrderedRow | undefined;
  /** The window is at the end of the list: its open side is its beginning. */
  readonly fromEnd: boolean;
  /** Rows before the window are not known. */
  readonly skips: boolean;
}

/** The links that some nodes have at one end. */
export interface LinkDependency {
  readonly kind: "links";
  readonly end: EndName;
  readonly from: UidSet;
  readonly partners: NodeDependency;
  /** A page cut the lists: partners that were not shown may have pushed others out. */
  readonly cut: boolean;
}
