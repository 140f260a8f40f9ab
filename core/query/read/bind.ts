// A planned level with the values of one request: conditions compiled, narrowed and joined with what `@cascade` demands.
// Levels without variables are bound once per deployment when no plugin narrows.

import type { LinkField, NodeType, UnionType } from "../../contracts/model.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import { all, and, none, or, type Predicate } from "../../contracts/predicate.ts";
import type { Order, Page } from "../../contracts/storage/requests.ts";
import { holdsMoreThan } from "../../ground/holds-more-than.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { EndName, FieldName, Json, MaybePromise, Stored, TypeName, Uid } from "../../ground/values/value.ts";
import { run } from "../../ground/work.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import type { AccessContext, OperationContext } from "../operation-context.ts";
import { compileTarget, type Filtered, type TargetContext } from "../plan/compile-target.ts";
import { concreteTypes } from "../plan/concrete-types.ts";
import { LongOperands } from "../plan/long-operands.ts";
import { behindMask, isUnreadable, type Masks } from "../plan/masks.ts";
import { type CompiledOrder, compileOrder, compilePage, noOrder, type SortKey } from "../plan/order-and-page.ts";
import type { AggregateStep, ConnectionSelection, GroupSelection, Level, Requirement, RequirementCase, Variables } from "../plan/selection.ts";
import { concurrently } from "./concurrently.ts";
import { concatenated, eachInTurns } from "./each-in-turns.ts";
import { isMasking, masksOf } from "./mask.ts";
import { isNarrowing, narrowTypes } from "./narrow.ts";
import { sightsOf } from "./partner-sights.ts";

export interface BoundLevel {
  readonly level: Level;
  /** Stored names of the types looked at; none of them when the caller is denied all. */
  readonly types: readonly TypeName[];
  /** Filter, narrowing and cascade in one. */
  readonly where: Predicate;
  readonly order: Order;
  /** All keys of the order, when some are behind links; `order` is empty then. */
  readonly related: readonly SortKey[] | undefined;
  readonly page: Page | undefined;
  readonly columns: readonly (FieldName | EndName)[];
  /** Aligned with the level's. */
  readonly links: readonly BoundLevel[];
  readonly aggregates: readonly BoundAggregate[];
  readonly connections: readonly BoundConnection[];
  readonly groups: readonly BoundGroups[];
  /** Fields that the caller may not see everywhere; undefined: there are none. */
  readonly masks: Masks | undefined;
  /** Values of computed fields that came with the nodes of the level. */
  readonly given?: GivenValues | undefined;
  /** By row: values that computed fields get instead of stored ones. */
  readonly represented?: readonly (ReadonlyMap<FieldName, Stored | undefined> | undefined)[];
}

/** By name of a computed field, then by node. */
export type GivenValues = ReadonlyMap<string, ReadonlyMap<Uid, Json>>;

export interface BoundAggregate {
  readonly step: AggregateStep;
  readonly types: readonly TypeName[];
  readonly where: Predicate;
  /** The caller may see no node of these types. Unlike a condition without matches, the count is then null. */
  readonly denied: boolean;
  readonly masks: Masks | undefined;
}

/** Groups with the values of one request. */
export interface BoundGroups {
  readonly selection: GroupSelection;
  readonly arguments: Variables;
  readonly types: readonly TypeName[];
  readonly where: Predicate;
  readonly masks: Masks | undefined;
  /** Of links by which nodes can be grouped: the partners that the caller may see, where these are not all. */
  readonly sights: ReadonlyMap<EndName, KeySight>;
  /** Aligned with the selection's links. */
  readonly links: readonly BoundLevel[];
}

export type KeySight = Pick<BoundTarget, "types" | "where">;

/** A list in pages with the values of one request. */
export interface BoundConnection {
  readonly connection: ConnectionSelection;
  /** Aligned with the selection's. */
  readonly places: readonly BoundLevel[];
  readonly arguments: Variables;
}

export interface BindRequest {
  readonly context: AccessContext & Pick<OperationContext, "variables">;
  /** Why the nodes of this level are looked at; those below are read for `query`, or for `rule` below a rule. */
  readonly purpose: Purpose;
  /** The levels below that are bound already: several places of a document may share one. */
  readonly known?: Map<Level, MaybePromise<BoundLevel>>;
}

const boundOnce = new WeakMap<Level, { readonly deployment: Pick<Deployment, "api" | "hooks">; readonly bound: BoundLevel }>();

export function bindLevel(level: Level, request: BindRequest): MaybePromise<BoundLevel> {
  const { deployment } = request.context;
  // Below a rule every level is read for the rule; below anything else, for queries.
  const isAsked = request.purpose === "rule" ? isNarrowing(request.context, "rule") : isNarrowing(request.context) || isMasking(deployment);
  if (!level.constant || isAsked) return bindForRequest(level, request);
  const known = boundOnce.get(level);
  if (known?.deployment === deployment) return known.bound;
  return andThen(bind(level, request), (bound) => {
    boundOnce.set(level, { deployment, bound });
    return bound;
  });
}

function bindForRequest(level: Level, request: BindRequest): MaybePromise<BoundLevel> {
  const bound = request.known?.get(level) ?? bind(level, request);
  request.known?.set(level, bound);
  return bound;
}

function bind(level: Level, request: BindRequest): MaybePromise<BoundLevel> {
  const { context, purpose, known = new Map() } = request;
  const args = level.arguments.values(context.variables);
  const cut = cutOf(level, args, context.deployment.api);
  const below: BindRequest = { context, purpose: purpose === "rule" ? "rule" : "query", known };
  const bindLinks = () => each(level.links, (step) => bindLevel(step.level, below), context);
  const bindConnections = () => each(level.connections, (step) => bindConnection(step.connection, below), context);
  const bindGroupSteps = () => each(level.groups, (step) => bindGroups(step.groups, below), context);
  const bindAggregates = () => each(level.aggregates, (step) => bindAggregate(step, below), context);
  return andThen(bindTarget({ target: level.target, types: level.types, filter: args.filter, purpose }, context), ({ types, where, masks }) =>
    andThen(bindLinks(), (links) =>
      andThen(bindConnections(), (connections) =>
        andThen(bindAggregates(), (aggregates) =>
          andThen(bindGroupSteps(), (groups) => ({
            level,
            types,
            where:
              level.cascade.length === 0 ? where : and(where, ...level.cascade.map((one) => requirement(one, level, { links, aggregates, masks }))),
            ...cut,
            order: masks ? cut.order.filter(({ field }) => !isUnreadable(field, masks)) : cut.order,
            columns: level.columns,
            links,
            aggregates,
            connections,
            groups,
            masks,
          })),
        ),
      ),
    ),
  );
}

/** All places of a page have the same filter; `@cascade` may ask different things of them. */
export function bindConnection(connection: ConnectionSelection, request: BindRequest): MaybePromise<BoundConnection> {
  const places = each(connection.places, (level) => bindLevel(level, request), request.context);
  return andThen(places, (bound) => ({ connection, places: bound, arguments: connection.arguments.values(request.context.variables) }));
}

export function bindGroups(selection: GroupSelection, request: BindRequest): MaybePromise<BoundGroups> {
  const { context, purpose } = request;
  const { node: target, keys } = selection.shape;
  const given = selection.arguments.values(context.variables);
  const ends = [...keys.values()].filter((field): field is LinkField => field.role === "link");
  const levels = () => each(selection.links, ({ level }) => bindLevel(level, request), context);
  return andThen(bindTarget({ target, types: target.members, filter: given.filter, purpose }, context), ({ types, where, masks }) =>
    andThen(
      each(ends, (field) => keySight(field, request), context),
      (sights) =>
        andThen(levels(), (links) => ({
          selection,
          arguments: given,
          types,
          where,
          masks,
          sights: new Map(ends.flatMap(({ stored }, i) => (sights[i] ? [[stored, sights[i]]] : []))),
          links,
        })),
    ),
  );
}

/** Undefined: the caller may see all partners. */
function keySight({ target }: LinkField, { context, purpose }: BindRequest): MaybePromise<KeySight | undefined> {
  const whole = concreteTypes(target);
  return andThen(bindTarget({ target, types: whole, filter: undefined, purpose }, context), ({ types, where }) =>
    types.length === whole.length && where.kind === "all" ? undefined : { types, where },
  );
}

/** Steps that are bound side by side, where plugins answer later. */
const boundAtOnce = 32;

function each<S, T>(steps: readonly S[], bindOne: (step: S) => MaybePromise<T>, { budget }: AccessContext): MaybePromise<readonly T[]> {
  if (steps.length === 0) return [];
  const bindAll = (some: readonly S[]) => concurrently(some.map((step) => () => bindOne(step)));
  if (!budget) return bindAll(steps);
  if (steps.length > boundAtOnce) return andThen(eachInTurns(groupsOf(steps), bindAll, budget), concatenated);
  return budget.isTurnOver ? andThen(budget.turn(), () => bindAll(steps)) : bindAll(steps);
}

function groupsOf<S>(steps: readonly S[]): readonly (readonly S[])[] {
  return Array.from({ length: Math.ceil(steps.length / boundAtOnce) }, (_, i) => steps.slice(i * boundAtOnce, (i + 1) * boundAtOnce));
}

function cutOf(level: Level, args: Variables, api: Deployment["api"]): Pick<BoundLevel, "order" | "related" | "page"> {
  const compiled = orderOf(level, args.order, api);
  return { ...compiled, page: compilePage({ first: args.first, offset: args.offset }, compiled) };
}

/** The last order of each level: most documents have it as a literal, which is the same object in every request. */
const lastOrders = new WeakMap<Level, { readonly given: unknown; readonly api: Deployment["api"]; readonly compiled: CompiledOrder }>();

function orderOf(level: Level, given: unknown, api: Deployment["api"]): CompiledOrder {
  const { target } = level;
  if (target.kind === "union" || given === undefined) return noOrder;
  const last = lastOrders.get(level);
  if (last?.given === given && last.api === api) return last.compiled;
  const compiled = compileOrder(target, given, api);
  lastOrders.set(level, { given, api, compiled });
  return compiled;
}

export interface TargetRequest {
  readonly target: NodeType | UnionType;
  readonly types: readonly NodeType[];
  readonly filter: unknown;
  readonly purpose: Purpose;
}

export interface BoundTarget extends Pick<BoundLevel, "types" | "where" | "masks"> {
  /** There are types, and the caller may see nodes of none of them. */
  readonly denied: boolean;
}

/** Types and condition of the nodes that a filter lets through and the caller may see. */
export function bindTarget({ target, types, filter, purpose }: TargetRequest, context: AccessContext): MaybePromise<BoundTarget> {
  return andThen(masksOf(types, purpose, context), (masks) => {
    const { api, hooks } = context.deployment;
    const seen = andThen(turnFor(filter, context), () => sightsOf({ target, filter, purpose }, context));
    return andThen(seen, (sights) => {
      const compiled =
        sights === "forbidden" ? { types, where: none } : filteredOf({ target, types, filter }, { api, hooks, masks, sights }, context);
      const narrowed = andThen(compiled, (filtered) =>
        andThen(narrowTypes(filtered.types, purpose, context), ({ types: shown, where }) => ({
          types: shown.map((type) => type.stored),
          where: and(filtered.where, where),
          denied: filtered.types.length > 0 && shown.length === 0,
          masks,
        })),
      );
      // The storage compiles it in the next one.
      return andThen(narrowed, (bound) => andThen(turnFor(filter, context), () => bound));
    });
  });
}

/** Compiles the filter once, and once more if it has operands that take long. */
function filteredOf(
  { target, types, filter }: Omit<TargetRequest, "purpose">,
  facts: TargetContext,
  { budget, valueLimits }: AccessContext,
): MaybePromise<Filtered> {
  if (filter === undefined || filter === null || !budget) return compileTarget(target, types, filter, facts);
  const operands = new LongOperands(valueLimits);
  const compile = () => compileTarget(target, types, filter, { ...facts, operands });
  const filtered = compile();
  return operands.isIncomplete ? andThen(run(operands.make(), budget), compile) : filtered;
}

/** Members of a filter that is compiled in a turn of its own. */
const manyMembers = 2_000;

function turnFor(filter: unknown, { budget }: AccessContext): MaybePromise<void> {
  return budget && holdsMoreThan(manyMembers, filter) ? budget.turn() : undefined;
}

function bindAggregate(step: AggregateStep, { context, purpose }: BindRequest): MaybePromise<BoundAggregate> {
  const { target } = step.field;
  const filter = step.arguments.values(context.variables).filter;
  return andThen(bindTarget({ target, types: concreteTypes(target), filter, purpose }, context), (bound) => ({ step, ...bound }));
}

/** Some case must hold: an object is of one of the types that select the field, and has what that selection asks for. */
function requirement(cases: Requirement, level: Level, bound: Pick<BoundLevel, "links" | "aggregates" | "masks">): Predicate {
  return or(
    ...cases.map(({ types, needs }) => {
      const present = need(needs, level, bound);
      return types === undefined ? present : and({ kind: "type", types }, present);
    }),
  );
}

/** What the caller may not ask about is not asked for. */
function need(
  needs: RequirementCase["needs"],
  level: Level,
  { links, aggregates, masks }: Pick<BoundLevel, "links" | "aggregates" | "masks">,
): Predicate {
  switch (needs.kind) {
    case "value":
      return behindMask({ kind: "has", field: needs.field }, needs.field, masks) ?? all;
    case "link":
      return behindMask(linkPresent(level, needs.link, links[needs.link]), level.links[needs.link]?.field.stored ?? "", masks) ?? all;
    case "measure":
      return measurePresent(needs.field, aggregates[needs.aggregate], masks);
  }
}

/** Some partner has a value of the field. */
function measurePresent(field: FieldName, bound: BoundAggregate | undefined, masks: Masks | undefined): Predicate {
  if (!bound || bound.types.length === 0) return none;
  const { target, stored } = bound.step.field;
  const value = behindMask({ kind: "has", field }, field, bound.masks);
  if (value === undefined) return all;
  const isWhole = bound.types.length === concreteTypes(target).length;
  const where = and(...(isWhole ? [] : [{ kind: "type", types: bound.types } as const]), bound.where, value);
  return behindMask({ kind: "linked", end: stored, where, atLeast: 1 }, stored, masks) ?? all;
}

/** The list is not empty when more partners pass than its offset skips. */
function linkPresent(level: Level, link: number, bound: BoundLevel | undefined): Predicate {
  const step = level.links[link];
  if (!step || !bound || bound.types.length === 0) return { kind: "none" };
  const isWhole = bound.types.length === step.level.types.length;
  const where = isWhole ? bound.where : and({ kind: "type", types: bound.types }, bound.where);
  const offset = bound.page && "offset" in bound.page ? (bound.page.offset ?? 0) : 0;
  return { kind: "linked", end: step.field.stored, where, atLeast: offset + 1 };
}
