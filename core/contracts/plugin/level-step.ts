// Fields that are read by themselves, for all objects of a level at once: links, aggregates and computed fields of the kernel, kinds of lists of plugins.

import type { FieldNode } from "graphql";
import type { ErrorText } from "../../ground/errors.ts";
import type { Uid, Value, ValueKind } from "../../ground/values/value.ts";
import type { Turns, Work } from "../../ground/work.ts";
import type { Budget } from "../budget.ts";
import type { LinkField, NodeType, UnionType, ValueField } from "../model.ts";
import type { Predicate } from "../predicate.ts";
import type { Place } from "../storage/requests.ts";
import type { Batch, Column } from "../storage/results.ts";
import type { Snapshot } from "../storage/snapshot.ts";
import type { ComputedField } from "./computed-field.ts";

/**
 * A kind of list of the nodes of a type: pages, groups, a ranking. The kernel serves it as a field of `Query`, and beside links to the type. The number
 * of posts, as a list of one kind:
 *
 *     const tally: ListKind = {
 *       type: post,
 *       query: "tallyPost",
 *       signature: "(filter: PostFilter): Int!",
 *       plan: function* ({ arguments: given }): Work<ListStep> {
 *         return {
 *           arguments: given,
 *           selections: [],
 *           cost: () => 1,
 *           print: () => ({ what: "count Post", below: [] }),
 *           *bind(binder) {
 *             const { filter } = given.values(binder.variables);
 *             const target = yield* binder.target({ type: post, filter });
 *             return { *read(parents, reader) { ... return { write: () => String(count) }; } };
 *           },
 *         };
 *       },
 *     };
 */
export interface ListKind {
  /** Whose nodes it lists. */
  readonly type: NodeType;
  /** SDL of the types that belong to it. One that two kinds define alike is served once. */
  readonly definitions?: string;
  /** In SDL, arguments and type: `(first: Int, after: String): PostConnection!`. `listArguments` gives those of generated lists. */
  readonly signature: string;
  readonly description?: string;
  /** The name of the field of `Query`; undefined: there is none. */
  readonly query?: string;
  /** The name of the field beside a link to nodes of the type; undefined: there is none. The list has the nodes that the link leads to. */
  readonly companion?: (link: LinkField) => string | undefined;
  /** Called for each place of a document that selects it. The step is kept with the document. */
  readonly plan: (field: SelectedList, planner: StepPlanner) => Work<ListStep>;
}

/** A place of a document that selects a list. */
export interface SelectedList {
  readonly nodes: readonly FieldNode[];
  /** Those of the field. */
  readonly arguments: PlannedArguments;
  /** The link beside which it stands; undefined: a field of `Query`. */
  readonly link: LinkField | undefined;
}

/** The arguments of one field as the `graphql` package coerces them; null counts as not given. */
export interface PlannedArguments {
  /** No variable decides them. */
  readonly constant: boolean;
  readonly values: (variables: Variables) => Variables;
  /** As written: `(first: 10)`, empty without arguments. */
  readonly text: string;
}

/** The values of one request's variables, or of one field's arguments, by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** Plans what a document selects. */
export interface StepPlanner {
  /** What `nodes` select of an object of a GraphQL type, in order, with the same keys merged. */
  fields(typeName: string, nodes: readonly FieldNode[]): readonly SelectedMember[];
  /** What `nodes` select of nodes of a type. */
  objects(request: ObjectsRequest): Work<NodeSelection>;
}

/** One key of an object of the answer. */
export interface SelectedMember {
  /** The name in the answer. */
  readonly key: string;
  /** The name of the field. */
  readonly name: string;
  /** What stands before the value: `{"name":` or `,"name":`. */
  readonly opening: string;
  readonly node: FieldNode;
  readonly nodes: readonly FieldNode[];
}

/** Objects to plan. */
export interface ObjectsRequest {
  readonly target: NodeType | UnionType;
  /** The fields whose selections they are. */
  readonly nodes: readonly FieldNode[];
  /** `filter` and `order` of the objects; by default all of them. */
  readonly arguments?: PlannedArguments;
  /** The fields whose `@cascade` the objects inherit, with that of the objects around. Undefined: they inherit none. */
  readonly cascadeOf?: readonly FieldNode[];
}

/** What a document selects of nodes. */
export interface NodeSelection {
  readonly target: NodeType | UnionType;
}

/** What steps are bound, read and written with. The kernel's own steps get more than those of plugins. */
export interface StepKit {
  readonly binder: StepBinder;
  readonly reader: StepReader;
  readonly writer: StepWriter;
}

/** A planned field: the same for all requests with the document. */
export interface ListStep<Kit extends StepKit = StepKit> {
  readonly arguments: PlannedArguments;
  /** The objects that it shows. */
  readonly selections: readonly NodeSelection[];
  /** Of a computed field: what computes it. A list reads the snapshot, and nothing else. */
  readonly computed?: ComputedField;
  /** Gives it the values of one request. */
  bind(binder: Kit["binder"]): Work<BoundStep<Kit>>;
  /** For `quern explain` and the log of slow operations. */
  print(printer: PlanPrinter): PrintedStep;
  /** How many nodes it touches for each object around it, roughly; of a field of `Query`: at all. */
  cost(costs: PlanCosts): number;
}

/** A planned field with the values of one request. */
export interface BoundStep<Kit extends StepKit = StepKit> {
  /** Reads it for all objects around it at once. */
  read(reader: Kit["reader"]): Work<StepRows<Kit>>;
}

/** The objects that select a field. */
export interface StepParents {
  /** Undefined: a field of `Query`, of which there is one. Else the nodes that show it, and the link from them. */
  readonly from: readonly Uid[] | undefined;
  readonly end: string | undefined;
}

/** What was read for a field. */
export interface StepRows<Kit extends StepKit = StepKit> {
  /**
   * The JSON of the field for one object; undefined: an error that was reported makes the object around it null.
   *
   * @param source place in `StepParents.from`; -1: an object whose links the caller may not see
   * @param row place of the object in its level
   */
  write(source: number, writer: Kit["writer"], row: number): string | undefined;
}

/** Nodes that pass a filter and that the caller may see. */
export interface BoundTarget {
  /** Stored names of the types that the caller may see nodes of. */
  readonly types: readonly string[];
  /** What passes the filter and what rules leave. */
  readonly where: Predicate;
  /** There are types, and the caller may see nodes of none of them. */
  readonly isDenied: boolean;
  /** The caller may see every node of the types, and all pass. */
  readonly isWhole: boolean;
  /** Whether the caller may not see the field, by stored name, of every node. */
  hides(stored: string): boolean;
}

/** Gives a plan the values of one request. */
export interface StepBinder {
  readonly variables: Variables;
  /** The objects of a selection, with what they show. */
  objects(selection: NodeSelection): Work<BoundObjects>;
  /** The nodes of `type` that pass `filter`, a value of its generated filter. */
  target(request: { readonly type: NodeType | UnionType; readonly filter: unknown }): Work<BoundTarget>;
}

/** The objects of a selection with the values of one request. */
export interface BoundObjects extends BoundTarget {
  readonly selection: NodeSelection;
}

/** Reads nodes for one caller. */
export interface StepReader extends Turns {
  /** The objects that select the field. */
  readonly parents: StepParents;
  readonly snapshot: Snapshot;
  readonly budget: Budget;
  /** Counts objects that the answer shows. */
  show(objects: number): void;
  /** Some nodes, with what they show: those that `objects` lets through are in the result. */
  load(objects: BoundObjects, uids: readonly Uid[]): Work<NodeRows>;
  /** The same for nodes that are known to pass. */
  loadPassing(objects: BoundObjects, uids: readonly Uid[]): Work<NodeRows>;
  /** The values of a stored field of the nodes of each parent that pass, as the caller sees them; undefined: a node has none. */
  values(target: BoundTarget, stored: string): Work<readonly Column[]>;
  /** The batch without the values that the caller may not see. */
  shown(batch: Batch, target: BoundTarget, columns: readonly string[]): Work<Batch>;
  /** The nodes of each parent that pass in all of `objects`, in the order of the first. */
  lists(objects: readonly BoundObjects[]): NodeLists;
  /** The kind of a field by its stored name; undefined: a link. */
  kindOf(stored: string): ValueKind | undefined;
}

/** Nodes that were read, with what they show. */
export interface NodeRows {
  /** The row of a node; undefined: it is not among them. */
  rowOf(uid: Uid): number | undefined;
}

/** One list for each parent, in an order that is total: no two rows are equal. */
export interface NodeLists {
  /** How many lists there are: one for each parent. */
  readonly count: number;
  /** The caller may see no node of them. */
  readonly isEmpty: boolean;
  /** Differs between lists of different types and orders. */
  readonly name: string;
  /** The kinds of the keys of the order. */
  readonly kinds: readonly ValueKind[];
  /** The storage cannot read a part of the lists: `ranked` reads all of them. */
  readonly isRanked: boolean;
  /** The order has keys of its own, beside the ids of the nodes. */
  readonly isOrdered: boolean;
  /** By the order of the lists. */
  readonly compare: (a: Place, b: Place) => number;
  /** The rows of a part of each list. */
  rows(part: ListPart): Work<readonly (readonly Place[])[]>;
  /** All rows of each list. */
  ranked(): Work<readonly (readonly Place[])[]>;
  /** How many rows each list has. */
  totals(): Work<readonly number[]>;
}

/** A part of lists. */
export interface ListPart {
  /** Rows behind it. */
  readonly after?: Place | undefined;
  /** Rows before it. */
  readonly before?: Place | undefined;
  /** Only rows that are not before `before`. */
  readonly outside?: Place | undefined;
  /** From the beginning or from the end; undefined: all rows. */
  readonly page?: { readonly first: number } | { readonly last: number } | undefined;
}

/** Writes JSON, and collects errors with their places. */
export interface StepWriter {
  /** The object of a row; undefined: an error makes it null. */
  object(nodes: NodeRows, row: number): string | undefined;
  /** Writes a part of the answer at a key or index, where its errors have their place. */
  at(place: string | number, write: () => string | undefined): string | undefined;
  /** The value of a measure; one beyond its type is an error and null. */
  measure(value: Value | undefined, kind: ValueKind, node: FieldNode): string;
  /** The value of a field. */
  value(stored: Value | undefined, field: ValueField): string;
  /** Reports an error at the present place. */
  fail(node: FieldNode, text: string | ErrorText): void;
  /** Counts the text so far, and lets limits end the request. Called at least once in a thousand items. */
  written(length: number): void;
}

/** Prints plans. */
export interface PlanPrinter {
  /** What is read of objects, one line each. */
  objects(selection: NodeSelection): readonly string[];
  /** Filter, order and page of arguments. */
  conditions(type: NodeType | UnionType, given: PlannedArguments): readonly string[];
  /** The line as one below another. */
  indent(line: string): string;
  /** The types of its objects, as text. */
  typesOf(selection: NodeSelection): string;
}

/** What a step reads, as people read it: `follow Post.author` to `Author`, then lines below. */
export interface PrintedStep {
  /** What is read, without its lines below. */
  readonly what: string;
  /** The types of the objects that it leads to. */
  readonly to?: string;
  /** In order, not indented. */
  readonly below: readonly string[];
}

/** Estimates costs. */
export interface PlanCosts {
  /** The step is a field of `Query`. */
  readonly isRoot: boolean;
  /** What one object of a selection costs, with everything below it. */
  objects(selection: NodeSelection): number;
  /** How many objects of a list with these arguments are read. */
  page(given: PlannedArguments): number;
}
