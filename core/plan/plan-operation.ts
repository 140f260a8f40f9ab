// From a validated document to the plan of one operation: its root fields, each with what it selects.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  getNamedType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  type SelectionNode,
  visit,
} from "graphql";
import type { Api, RootOperation } from "../api/api.ts";
import type { Location } from "../errors.ts";
import { cascadeOf } from "./cascade.ts";
import { collectFields, fragmentsOf, isIncluded } from "./collect-fields.ts";
import type { OperationPlan, RootPlan } from "./plan.ts";
import { onlyFilter, planArguments } from "./plan-arguments.ts";
import { type PlanContext, planLevel } from "./plan-level.ts";
import { opening, planJson, planMeasures } from "./plan-parts.ts";
import type { OutputNullability, PayloadMember, RootShape, Selection, Variables } from "./selection.ts";

/** More selections of one root field than this are not kept: a client may send any list in a `@cascade` variable. */
const maxKeptSelections = 64;

/** Plans `operation`, which `document` holds and which was validated against `api.schema`. */
export function planOperation(api: Api, document: DocumentNode, operation: OperationDefinitionNode): OperationPlan {
  const fragments = fragmentsOf(document);
  const roots = collectRoots(operation, fragments);
  const structural = structuralVariables(operation, fragments);
  const plans = roots
    .filter((root) => !root.node.name.value.startsWith("__"))
    .flatMap((root) => {
      const planned = planRoot({ api, fragments, structural }, operation, root);
      return planned ? [planned] : [];
    });
  return Object.freeze({
    kind: operation.operation,
    roots: Object.freeze(plans),
    introspects: plans.length < roots.length,
    maxAgeSeconds: operation.operation === "query" ? maxAgeOf(operation) : undefined,
  });
}

export function locationOf(node: FieldNode): Location {
  const token = node.loc?.startToken;
  return { line: token?.line ?? 1, column: token?.column ?? 1 };
}

/** One key at the root, with every field that asks for it and the fragments it stands in, whose conditions are its own too. */
interface CollectedRoot {
  readonly key: string;
  readonly node: FieldNode;
  readonly places: { readonly field: FieldNode; readonly within: readonly SelectionNode[] }[];
}

function collectRoots(operation: OperationDefinitionNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): readonly CollectedRoot[] {
  const roots = new Map<string, CollectedRoot>();
  const walk = (selections: readonly SelectionNode[], within: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const root = roots.get(key) ?? { key, node: selection, places: [] };
        root.places.push({ field: selection, within });
        roots.set(key, root);
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (fragment) walk(fragment.selectionSet.selections, [...within, selection]);
    }
  };
  walk(operation.selectionSet.selections, []);
  return [...roots.values()];
}

interface RootContext {
  readonly api: Api;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly structural: readonly string[];
}

function planRoot(context: RootContext, operation: OperationDefinitionNode, root: CollectedRoot): RootPlan | undefined {
  const { api } = context;
  const name = root.node.name.value;
  const rootOperation = rootsOf(api, operation.operation).get(name);
  const definition = api.schema.getRootType(operation.operation)?.getFields()[name];
  if (!rootOperation || !definition) return undefined;
  const args = planArguments(definition, root.node);
  const isPlaceIncluded = ({ field, within }: CollectedRoot["places"][number], variables: Variables | undefined): boolean =>
    [...within, field].every((each) => isIncluded(each, variables));
  const unconditional = root.places.some(({ field, within }) => [...within, field].every((each) => !hasCondition(each)));
  return Object.freeze({
    key: root.key,
    field: name,
    location: locationOf(root.node),
    operation: rootOperation,
    arguments: args.values,
    included: unconditional ? always : (variables: Variables) => root.places.some((place) => isPlaceIncluded(place, variables)),
    selection: selectionOf(context, (variables) => {
      const nodes = root.places.filter((place) => isPlaceIncluded(place, variables)).map((place) => place.field);
      const planContext = { api, schema: api.schema, fragments: context.fragments, variables };
      return planShape(planContext, rootOperation, { definition, nodes: nodes.length > 0 ? nodes : [root.node], root: root.node });
    }),
  });
}

function rootsOf(api: Api, kind: OperationTypeNode): ReadonlyMap<string, RootOperation> {
  if (kind === "query") return api.queries;
  return kind === "mutation" ? api.mutations : api.subscriptions;
}

function always(): boolean {
  return true;
}

function hasCondition(selection: SelectionNode): boolean {
  return (selection.directives ?? []).some((each) => each.name.value === "skip" || each.name.value === "include");
}

interface RootFields {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly nodes: readonly FieldNode[];
  readonly root: FieldNode;
}

function planShape(context: PlanContext, operation: RootOperation, { definition, nodes, root }: RootFields): RootShape {
  const args = planArguments(definition, root);
  const naming = onlyFilter(args, definition, context.api);
  switch (operation.kind) {
    case "get":
    case "query":
      return {
        kind: "nodes",
        level: planLevel(context, { target: operation.node, nodes, arguments: operation.kind === "get" ? naming : args, inherited: "none" }),
        type: nullability(definition),
      };
    case "aggregate":
      return { kind: "measures", measures: planMeasures(context, getNamedType(definition.type).name, nodes), arguments: args };
    case "add":
    case "update":
    case "delete":
      return planPayload(context, getNamedType(definition.type).name, nodes, operation.node);
    case "plugin": {
      const { type } = operation.root;
      if (!type) return { kind: "json", json: planJson(context, definition.type, [root, ...nodes.slice(1)]) };
      return {
        kind: "nodes",
        level: planLevel(context, { target: type, nodes, arguments: naming, inherited: "none" }),
        type: nullability(definition),
      };
    }
  }
}

function planPayload(context: PlanContext, typeName: string, nodes: readonly FieldNode[], target: RootShapeNode): RootShape {
  const output = context.api.outputs.get(typeName);
  const list = output?.kind === "payload" ? output.list : undefined;
  const type = context.schema.getType(typeName);
  const fields = type && "getFields" in type ? type.getFields() : {};
  // With a list of names it can only mean members of the payload, which are always there.
  const inherited = cascadeOf(nodes, target, "none", context.variables) === "every" ? "every" : "none";
  const members = collectFields(context, typeName, nodes).map((field, i): PayloadMember => {
    const base = { key: field.key, opening: opening(i, field.key) };
    const definition = fields[field.name];
    if (field.name === list && definition && "args" in definition) {
      const level = planLevel(context, { target, nodes: field.nodes, arguments: planArguments(definition, field.node), inherited });
      return { ...base, kind: "list", node: field.node, level, type: nullability(definition) };
    }
    if (field.name === "numUids" || field.name === "msg") return { ...base, kind: field.name };
    return { ...base, kind: "typename", text: JSON.stringify(typeName) };
  });
  return { kind: "payload", members, filters: target };
}

type RootShapeNode = Extract<RootOperation, { node: unknown }>["node"];

function nullability(definition: GraphQLField<unknown, unknown>): OutputNullability {
  const { type } = definition;
  const inner = isNonNullType(type) ? type.ofType : type;
  return { list: isListType(inner), nonNull: isNonNullType(type), itemNonNull: isListType(inner) && isNonNullType(inner.ofType) };
}

/** Names of the variables in `@skip`, `@include` and `@cascade`. */
function structuralVariables(operation: OperationDefinitionNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): readonly string[] {
  if ((operation.variableDefinitions ?? []).length === 0) return [];
  const names = new Set<string>();
  const visitor = {
    Directive: (directive: { readonly arguments?: readonly unknown[] }) => {
      for (const argument of directive.arguments ?? []) collectVariables(argument, names);
    },
  };
  visit(operation.selectionSet, visitor);
  for (const fragment of fragments.values()) visit(fragment, visitor);
  return [...names].sort();
}

function collectVariables(node: unknown, names: Set<string>): void {
  visit(node as FieldNode, { Variable: (variable) => void names.add(variable.name.value) });
}

function selectionOf(context: RootContext, plan: (variables: Variables | undefined) => RootShape): Selection {
  const { structural } = context;
  let whole: RootShape | undefined;
  const wholeShape = (): RootShape => {
    whole ??= plan(structural.length === 0 ? {} : undefined);
    return whole;
  };
  if (structural.length === 0) return Object.freeze({ select: wholeShape, whole: wholeShape });
  const kept = new Map<string, RootShape>();
  const select = (variables: Variables): RootShape => {
    const values = JSON.stringify(structural.map((name) => variables[name] ?? null));
    const known = kept.get(values);
    if (known) return known;
    const shape = plan(variables);
    if (kept.size >= maxKeptSelections) kept.clear();
    kept.set(values, shape);
    return shape;
  };
  return Object.freeze({ select, whole: wholeShape });
}

function maxAgeOf(operation: OperationDefinitionNode): number | undefined {
  const directive = (operation.directives ?? []).find((each) => each.name.value === "cacheControl");
  const value = directive?.arguments?.find((each) => each.name.value === "maxAge")?.value;
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}
