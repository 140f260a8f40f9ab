// The `values` hooks: before the transaction, plugins see each input object and change, complete or refuse its values.

import type { Hooks } from "../../contracts/plugin/hooks.ts";
import type { RequestView } from "../../contracts/plugin/request-view.ts";
import type { QuernError } from "../../ground/errors.ts";
import { LockedMap } from "../../ground/locked-map.ts";
import type { Stored } from "../../ground/values/value.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import type { OperationBudget } from "../../query/operation-context.ts";
import type { WriteFacts } from "../context/write-facts.ts";
import { type InputNode, type InputTree, objectsBetweenLooks } from "./input-tree.ts";

/** What an input object holds after the hooks. */
export interface Content {
  readonly values: ReadonlyMap<string, Stored | null>;
  /** For fields that are absent, if the object becomes a new node. */
  readonly whenCreated: ReadonlyMap<string, Stored>;
  /** The same, if it changes an existing one. */
  readonly whenUpdated: ReadonlyMap<string, Stored>;
  /** Count if the object is written. */
  readonly faults: readonly QuernError[];
}

export type Contents = (node: InputNode) => Content;

const none: ReadonlyMap<string, Stored> = new Map();

/** Hooks that are slow run side by side for all objects, one plugin after the other for each. */
export function* runValuesHooks(
  tree: InputTree,
  facts: WriteFacts,
  { request, budget }: { readonly request: RequestView; readonly budget: OperationBudget },
): Work<Contents> {
  const hooks = facts.plugins.flatMap(({ hooks }) => (hooks.values ? [hooks.values] : []));
  if (hooks.length === 0) return contentAsGiven;
  const changed = new Map<InputNode, Content>();
  const ofNode = function* (node: InputNode): Work<void> {
    changed.set(node, yield* runHooks(node, hooks, request));
  };
  const ofAll = function* () {
    for (const node of tree.nodes) {
      if (node.index % objectsBetweenLooks === 0) budget.spend(0);
      if (isSeen(node)) yield ofNode(node);
    }
  };
  yield* together(ofAll(), budget);
  return (node) => changed.get(node) ?? contentAsGiven(node);
}

/** Objects that can only refer to a node hold no values. */
function isSeen(node: InputNode): boolean {
  if (node.reference) return false;
  return node.role !== "nested" || (node.type.kind === "object" && !node.removes);
}

function contentAsGiven(node: InputNode): Content {
  return { values: node.values, whenCreated: none, whenUpdated: none, faults: node.faults };
}

function* runHooks(node: InputNode, hooks: readonly NonNullable<Hooks["values"]>[], request: RequestView): Work<Content> {
  let content = contentAsGiven(node);
  for (const hook of hooks) {
    const input = Object.freeze({ type: node.type, role: node.role, values: lockedValues(shownValues(node, content.values)) });
    content = merge(content, yield* wait(hook(input, request)));
  }
  return content;
}

/** A new object cannot leave a required field empty: null there is as good as absent. */
function shownValues({ type, role }: InputNode, values: Content["values"]): Content["values"] {
  if (role === "set" || role === "remove") return values;
  const isEmpty = ([name, value]: readonly [string, Stored | null]) => value === null && type.fields.get(name)?.type.nonNull === true;
  return [...values].some(isEmpty) ? new Map([...values].filter((each) => !isEmpty(each))) : values;
}

/** A copy that the hook cannot change, and lists that it cannot change either. */
function lockedValues(values: Content["values"]): Content["values"] {
  for (const value of values.values()) if (Array.isArray(value)) Object.freeze(value);
  return new LockedMap(values, "The values of an input object (return { values: new Map([...]) } instead)");
}

function merge(before: Content, changes: Awaited<ReturnType<NonNullable<Hooks["values"]>>>): Content {
  if (!changes) return before;
  return {
    values: changes.values ? new Map([...before.values, ...changes.values]) : before.values,
    whenCreated: changes.whenCreated ? new Map([...before.whenCreated, ...changes.whenCreated]) : before.whenCreated,
    whenUpdated: changes.whenUpdated ? new Map([...before.whenUpdated, ...changes.whenUpdated]) : before.whenUpdated,
    faults: changes.refuse ? [...before.faults, changes.refuse] : before.faults,
  };
}
