// Bounds that are seen in the text of an operation or in the values of its variables, before anything runs.

import { type ASTNode, type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode, visit } from "graphql";
import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";
import { longTextIn, pathText, tooManyCharacters } from "../../ground/value-limits.ts";
import type { PreparedOperation } from "./operation.ts";

/** Before a document is validated, which takes far longer than to count. @throws QuernError LIMIT_REACHED */
export function assertFewRootFields({ definitions }: DocumentNode, { maxRootFields }: Limits): void {
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.selectionSet.selections.length <= maxRootFields) continue;
    const fields = definition.selectionSet.selections.filter((each): each is FieldNode => each.kind === Kind.FIELD);
    const keys = new Set(fields.map(({ alias, name }) => (alias ?? name).value));
    if (keys.size > maxRootFields) throw tooManyRootFields(keys.size, maxRootFields);
  }
}

/** Once per document and operation. @throws QuernError LIMIT_REACHED */
export function assertOperationWithinLimits(operation: PreparedOperation, document: DocumentNode, limits: Limits): void {
  const { maxRootFields, maxDepth, maxInputList } = limits;
  if (operation.keys.length > maxRootFields) throw tooManyRootFields(operation.keys.length, maxRootFields);
  if (maxDepth !== Number.POSITIVE_INFINITY) {
    const depth = depthOf(operation.definition.selectionSet, fragmentsOf(document));
    if (depth > maxDepth) throw overLimit(`The operation is nested ${depth} levels deep; at most ${maxDepth} are allowed (limits.maxDepth).`);
  }
  const counted = { elements: 0, objects: 0, hasLongText: false };
  visit(operation.definition, {
    StringValue: ({ value }, _key, parent, _path, ancestors) => {
      if (value.length > limits.maxValueCharacters)
        throw tooManyCharacters(`The text of ${pathOf(parent === undefined ? ancestors : [...ancestors, parent])}`, value.length, limits);
    },
    ListValue: ({ values }) => {
      assertListLength(values.length, maxInputList);
      counted.elements += values.length;
      for (const each of values) if (each.kind === Kind.OBJECT) counted.objects++;
    },
  });
  if (operation.plan.kind !== "mutation") assertFew(counted, limits);
}

/** The arguments and members that lead to a literal. */
function pathOf(ancestors: readonly (ASTNode | readonly ASTNode[])[]): string {
  const nodes = ancestors.filter((each): each is ASTNode => !Array.isArray(each));
  const names = nodes.flatMap((node) => (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD ? [node.name.value] : []));
  return names.join(".");
}

/** For each request, before its variables are coerced. @throws QuernError LIMIT_REACHED */
export function assertVariablesWithinLimits({ variables, plan }: PreparedOperation, given: Readonly<Record<string, unknown>>, limits: Limits): void {
  const counted = { elements: 0, objects: 0, hasLongText: false };
  for (const { variable } of variables) count(given[variable.name.value], counted, limits);
  if (counted.hasLongText) assertShortTexts(variables, given, limits);
  // A mutation stores what it is given; a query compares each node with it.
  if (plan.kind !== "mutation") assertFew(counted, limits);
}

/** What the lists of an operation's input hold. */
interface Counted {
  elements: number;
  objects: number;
  hasLongText: boolean;
}

function count(value: unknown, counted: Counted, limits: Limits): void {
  if (typeof value === "string") counted.hasLongText ||= value.length > limits.maxValueCharacters;
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) {
    for (const each of Object.values(value)) count(each, counted, limits);
    return;
  }
  assertListLength(value.length, limits.maxInputList);
  counted.elements += value.length;
  for (const each of value) {
    if (typeof each === "object" && each !== null && !Array.isArray(each)) counted.objects++;
    count(each, counted, limits);
  }
}

function assertShortTexts(variables: PreparedOperation["variables"], given: Readonly<Record<string, unknown>>, limits: Limits): void {
  for (const { variable } of variables) {
    const name = variable.name.value;
    const long = longTextIn(given[name], limits.maxValueCharacters, [`$${name}`]);
    if (long) throw tooManyCharacters(`The text of ${pathText(long.path)}`, long.length, limits);
  }
}

function assertFew({ elements, objects }: Counted, { maxInputList, maxConditions }: Limits): void {
  if (elements > maxInputList) {
    throw overLimit(
      `The lists of the operation have ${elements} elements together; at most ${maxInputList} are allowed (limits.maxInputList). Send them in parts.`,
    );
  }
  if (objects > maxConditions) {
    throw overLimit(
      `The lists of the query contain ${objects} objects together, such as conditions of a filter; at most ${maxConditions} are allowed (limits.maxConditions). Join them: one "in" instead of many "eq".`,
    );
  }
}

function assertListLength(length: number, maxInputList: number): void {
  if (length > maxInputList) {
    throw overLimit(`A list of the input has ${length} elements; at most ${maxInputList} are allowed (limits.maxInputList). Send it in parts.`);
  }
}

function tooManyRootFields(count: number, maxRootFields: number): QuernError {
  return overLimit(`The operation has ${count} root fields; at most ${maxRootFields} are allowed (limits.maxRootFields).`);
}

function overLimit(message: string): QuernError {
  return new QuernError("LIMIT_REACHED", message);
}

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((each) => [each.name.value, each]));
}

/** Fields inside each other; fragments add no level. Cycles were refused by validation. */
function depthOf(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): number {
  const known = new Map<string, number>();
  const below = (inner: SelectionSetNode | undefined): number => (inner ? Math.max(0, ...inner.selections.map(levels)) : 0);
  const levels = (selection: SelectionSetNode["selections"][number]): number => {
    if (selection.kind === Kind.FIELD) return 1 + below(selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) return below(selection.selectionSet);
    const name = selection.name.value;
    const depth = known.get(name) ?? below(fragments.get(name)?.selectionSet);
    known.set(name, depth);
    return depth;
  };
  return below(set);
}
