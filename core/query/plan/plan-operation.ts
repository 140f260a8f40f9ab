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
  visit,
} from "graphql";
import type { UnionType } from "../../contracts/model.ts";
import type { RootField as PluginRootField } from "../../contracts/plugin/root-field.ts";
import { runAtOnce, type Work } from "../../ground/work.ts";
import type { Api, RootOperation } from "../../schema/api/api.ts";
import type { PayloadMember, PlannedArguments, RootShape, Variables } from "../level/selection.ts";
import type { OutputNullability } from "../level/shapes.ts";
import { AggregateStep } from "../steps/aggregate.ts";
import { locationOf } from "../write/location-of.ts";
import { cascadeOf } from "./cascade.ts";
import { collectFields, fragmentsOf, placesOf } from "./collect-fields.ts";
import type { OperationPlan, RootPlan } from "./plan.ts";
import { onlyFilter, planArguments, planGivenArguments } from "./plan-arguments.ts";
import { planCounts } from "./plan-counts.ts";
import { type PlanContext, planLevel, planList } from "./plan-level.ts";
import { opening, planJson, planMeasures, selectedField } from "./plan-parts.ts";
import type { SelectionCount } from "./planned-parts.ts";
import { type PlanBounds, type RootFields, SelectionCache, type Variant } from "./selection-cache.ts";
import { sentArguments } from "./sent-arguments.ts";

/**
 * Plans `operation`, which `document` holds and which was validated against `api.schema`. What it selects is worked out when it is asked
 * for, with the values of the variables it depends on; then `LIMIT_REACHED` is thrown where that is more than `bounds` allow.
 */
export function* planOperation(api: Api, document: DocumentNode, operation: OperationDefinitionNode, bounds?: PlanBounds): Work<OperationPlan> {
  const fragments = fragmentsOf(document);
  const roots = collectRoots(operation, fragments);
  yield;
  const context = { api, fragments, operation, variants: new SelectionCache(structuralVariables(operation, fragments), bounds) };
  const plans: RootPlan[] = [];
  for (const root of roots) {
    if (root.node.name.value.startsWith("__")) continue;
    yield;
    const planned = planRoot(context, root);
    if (planned) plans.push(planned);
  }
  return Object.freeze({
    kind: operation.operation,
    roots: Object.freeze(plans),
    atomic: (operation.directives ?? []).some(({ name }) => api.atomic.has(name.value)),
    introspects: plans.length < roots.length,
    maxAgeSeconds: operation.operation === "query" ? maxAgeOf(operation) : undefined,
  });
}

/** One key at the root. `always`: no condition decides whether it is there. */
interface CollectedRoot {
  readonly key: string;
  /** The first place that selects it. */
  readonly node: FieldNode;
  /** All of them. */
  readonly nodes: readonly FieldNode[];
  readonly always: boolean;
}

function collectRoots({ selectionSet }: OperationDefinitionNode, fragments: Fragments): readonly CollectedRoot[] {
  const roots = new Map<string, CollectedRoot>();
  for (const { field, always } of placesOf(selectionSet, fragments)) {
    const key = field.alias?.value ?? field.name.value;
    const known = roots.get(key);
    roots.set(key, { key, node: known?.node ?? field, nodes: [...(known?.nodes ?? []), field], always: always || known?.always === true });
  }
  return [...roots.values()];
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

interface Context {
  readonly api: Api;
  readonly fragments: Fragments;
  readonly operation: OperationDefinitionNode;
  readonly variants: SelectionCache;
}

/** What the root fields are under one set of values of the variables. */
function rootFields(context: Context, variant: Variant): RootFields {
  const { schema } = context.api;
  return variant.fields(() => {
    const type = schema.getRootType(context.operation.operation)?.name ?? "";
    const collecting = { schema, fragments: context.fragments, variables: variant.variables, looked: variant.looked };
    return new Map(collectFields(collecting, type, [context.operation]).map(({ key, nodes }) => [key, nodes]));
  });
}

function planContext({ api, fragments }: Context, { variables, parts }: Variant, count: SelectionCount): PlanContext {
  return { api, schema: api.schema, fragments, variables, parts, count, looked: count.looked };
}

function planRoot(context: Context, root: CollectedRoot): RootPlan | undefined {
  const { api, operation, variants } = context;
  const name = root.node.name.value;
  const rootOperation = rootsOf(api, operation.operation).get(name);
  const definition = api.schema.getRootType(operation.operation)?.getFields()[name];
  if (!rootOperation || !definition) return undefined;
  const args = planArguments(definition, root.node);
  const plan = (variant: Variant) =>
    variant.plan(root.key, (count) => {
      const nodes = rootFields(context, variant).get(root.key) ?? [root.node];
      return planShape(planContext(context, variant, count), rootOperation, { definition, nodes, root, arguments: args });
    });
  const shapeOf = (variant: Variant) => variant.shape(root.key) ?? runAtOnce(plan(variant));
  return Object.freeze({
    key: root.key,
    field: name,
    location: locationOf(root.node),
    operation: rootOperation,
    nonNull: isNonNullType(definition.type),
    arguments: rootOperation.kind === "plugin" ? planGivenArguments(definition, root.node) : args.values,
    sent: (given: Variables) => sentArguments({ definition, node: root.node, operation }, given),
    included: root.always ? always : (variables: Variables) => rootFields(context, variants.of(variables)).has(root.key),
    counts: planCounts(api, root.nodes),
    selection: Object.freeze({
      select: (variables: Variables) => shapeOf(variants.of(variables)),
      plan: (variables: Variables) => {
        const variant = variants.of(variables);
        return variant.shape(root.key) ? undefined : plan(variant);
      },
      whole: () => shapeOf(variants.of(undefined)),
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

interface RootField {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly nodes: readonly FieldNode[];
  readonly root: Pick<CollectedRoot, "key" | "node">;
  readonly arguments: PlannedArguments;
}

function* planShape(
  context: PlanContext,
  operation: RootOperation,
  { definition, nodes, root: { key, node: root }, arguments: args }: RootField,
): Work<RootShape> {
  const naming = onlyFilter(args, definition, context.api);
  switch (operation.kind) {
    case "get":
    case "query":
      return {
        kind: "nodes",
        level: yield* planLevel(context, { target: operation.node, nodes, arguments: operation.kind === "get" ? naming : args, inherited: "none" }),
        type: nullability(definition),
      };
    case "list": {
      const place = { list: operation.list, link: undefined, nodes, arguments: args, inherited: "none" as const };
      return { kind: "step", step: yield* planList(context, place) };
    }
    case "aggregate": {
      const measures = planMeasures(context, getNamedType(definition.type).name, nodes);
      return { kind: "step", step: new AggregateStep({ target: operation.node, link: undefined, arguments: args, measures }) };
    }
    case "add":
    case "update":
    case "delete":
      return yield* planPayload(context, getNamedType(definition.type).name, nodes, operation.node);
    case "plugin": {
      const type = operation.root.type ?? unionOf(operation.root, definition);
      const parentType = operation.root.operation === "query" ? "Query" : "Mutation";
      const selected = selectedField(context, { key, node: root, nodes, within: undefined }, { parentType, type: definition.type });
      if (!type) return { kind: "json", json: planJson(context, definition.type, selected.nodes), selected };
      const level = yield* planLevel(context, { target: type, nodes, arguments: naming, inherited: "none" });
      return { kind: "nodes", level, type: nullability(definition), selected };
    }
  }
}

/** The union of a plugin's field with nodes of several types. */
function unionOf({ members }: PluginRootField, { type }: GraphQLField<unknown, unknown>): UnionType | undefined {
  const { name, astNode } = getNamedType(type);
  return members && astNode?.kind === Kind.UNION_TYPE_DEFINITION ? { kind: "union", name, definition: astNode, members } : undefined;
}

function* planPayload(context: PlanContext, typeName: string, nodes: readonly FieldNode[], target: RootShapeNode): Work<RootShape> {
  const output = context.api.outputs.get(typeName);
  const list = output?.kind === "payload" ? output.list : undefined;
  const type = context.schema.getType(typeName);
  const fields = type && "getFields" in type ? type.getFields() : {};
  // With a list of names it can only mean members of the payload, which are always there.
  const inherited = cascadeOf(nodes, target, "none", context.variables) === "every" ? "every" : "none";
  const members: PayloadMember[] = [];
  for (const field of collectFields(context, typeName, nodes)) {
    const base = { key: field.key, opening: opening(members.length, field.key) };
    const definition = fields[field.name];
    if (field.name === list && definition && "args" in definition) {
      const level = yield* planLevel(context, { target, nodes: field.nodes, arguments: planArguments(definition, field.node), inherited });
      members.push({ ...base, kind: "list", node: field.node, level, type: nullability(definition) });
    } else if (field.name === "numUids" || field.name === "msg") members.push({ ...base, kind: field.name });
    else members.push({ ...base, kind: "typename", text: JSON.stringify(typeName) });
  }
  return { kind: "payload", members, filters: target };
}

type RootShapeNode = Extract<RootOperation, { node: unknown }>["node"];

function nullability(definition: GraphQLField<unknown, unknown>): OutputNullability {
  const { type } = definition;
  const inner = isNonNullType(type) ? type.ofType : type;
  return { list: isListType(inner), nonNull: isNonNullType(type), itemNonNull: isListType(inner) && isNonNullType(inner.ofType) };
}

/** Names of the variables in `@skip`, `@include` and `@cascade`. */
function structuralVariables(operation: OperationDefinitionNode, fragments: Fragments): readonly string[] {
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

function maxAgeOf(operation: OperationDefinitionNode): number | undefined {
  const directive = (operation.directives ?? []).find((each) => each.name.value === "cacheControl");
  const value = directive?.arguments?.find((each) => each.name.value === "maxAge")?.value;
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}
