// A planned level with the values of one request: conditions compiled, narrowed and joined with what `@cascade` demands.
// Levels without variables are bound once per deployment when no plugin narrows.

import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { BoundStep, ListStep, NodeSelection } from "../../contracts/plugin/level-step.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import { all, and, none, or, type Predicate } from "../../contracts/predicate.ts";
import { QuernError } from "../../ground/errors.ts";
import { holdsMoreThan } from "../../ground/holds-more-than.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import { type Patience, patience, patienceOf } from "../../ground/patience.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, together, type Work, wait } from "../../ground/work.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { isMasking, masksOf } from "../access/mask.ts";
import { isNarrowing, narrowTypes } from "../access/narrow.ts";
import { partnerVisibility } from "../access/partner-visibility.ts";
import { concreteTypes } from "../level/concrete-types.ts";
import type { LevelBinder } from "../level/kit.ts";
import { BoundLevel, Level, type Requirement, type RequirementCase, Target } from "../level/level.ts";
import { behindMask, isUnreadable, type Masks } from "../level/masks.ts";
import type { Variables } from "../level/selection.ts";
import { type CompiledOrder, noOrder } from "../level/sort-key.ts";
import type { AccessContext, KeptOfRuns, OperationContext } from "../operation-context.ts";
import { compileTarget, type Filtered, type TargetContext } from "../plan/compile-target.ts";
import { LongOperands } from "../plan/long-operands.ts";
import { compileOrder, compilePage } from "../plan/order-and-page.ts";

export interface BindRequest {
  readonly context: AccessContext & Pick<OperationContext, "variables" | "runs">;
  /** Why the nodes of this level are looked at; those below are read for `query`, or for `rule` below a rule. */
  readonly purpose: Purpose;
}

/** At once for callers who all see the same, where no variable decides, or the variables are those of an earlier run. */
export function bindLevel(level: Level, request: BindRequest): MaybePromise<BoundLevel> {
  const { context } = request;
  if (!isAsked(level, request)) {
    const known = level.known.bound;
    if (known?.deployment === context.deployment) return known.level;
  } else if (context.runs && !arePluginsAsked(request)) {
    return boundOnce(level, request, context.runs);
  }
  return run(new Binder(request).level(level), context.budget);
}

function boundOnce(level: Level, request: BindRequest, runs: KeptOfRuns): MaybePromise<BoundLevel> {
  const { variables, budget } = request.context;
  const { binding } = runs;
  if (binding?.of === level && binding.variables === variables && binding.bound instanceof BoundLevel) return binding.bound;
  return andThen(run(new Binder(request).level(level), budget), (bound) => {
    runs.binding = { of: level, variables, bound };
    return bound;
  });
}

/** Variables or plugins decide about the nodes of the level, or below. */
function isAsked({ constant }: Level, request: BindRequest): boolean {
  return !constant || arePluginsAsked(request);
}

function arePluginsAsked({ context, purpose }: BindRequest): boolean {
  // Below a rule every level is read for the rule; below anything else, for queries.
  return purpose === "rule" ? isNarrowing(context, "rule") : isNarrowing(context) || isMasking(context.deployment);
}

/** Steps that are bound side by side, where plugins answer later. */
const boundAtOnce = 32;

class Binder implements LevelBinder {
  readonly #request: BindRequest;
  /** Several places of a document may share a level. */
  readonly #known: Map<Level, MaybePromise<BoundLevel>>;

  constructor(request: BindRequest, known: Map<Level, MaybePromise<BoundLevel>> = new Map()) {
    this.#request = request;
    this.#known = known;
  }

  get [patience](): Patience | undefined {
    return patienceOf(this.#request.context.request);
  }

  get variables(): Variables {
    return this.#request.context.variables;
  }

  *target({ type, filter, purpose = this.#request.purpose }: Parameters<LevelBinder["target"]>[0]): Work<Target> {
    return yield* targetOf({ target: type, types: concreteTypes(type), filter, purpose }, this.#request.context);
  }

  objects(selection: NodeSelection): Work<BoundLevel> {
    if (!(selection instanceof Level)) throw new QuernError("INTERNAL", "A step binds a selection that the kernel has not planned.");
    return this.level(selection);
  }

  *level(level: Level): Work<BoundLevel> {
    const { deployment } = this.#request.context;
    if (isAsked(level, this.#request)) {
      // What is under way counts too: levels that share levels would bind them ever more often.
      const bound = this.#known.get(level) ?? run(this.#bind(level), this.#request.context.budget);
      this.#known.set(level, bound);
      return yield* wait(bound);
    }
    const known = level.known.bound;
    if (known?.deployment === deployment) return known.level;
    const bound = yield* this.#bind(level);
    level.known.bound = { deployment, level: bound };
    return bound;
  }

  *#bind(level: Level): Work<BoundLevel> {
    const { context, purpose } = this.#request;
    const args = level.arguments.values(context.variables);
    const cut = cutOf(level, args, context.deployment.api);
    const target = yield* targetOf({ target: level.target, types: level.types, filter: args.filter, purpose }, context);
    const steps = level.steps.length === 0 ? noSteps : yield* this.#bindSteps(level);
    const { masks } = target;
    const needs = level.cascade.map((cases) => requirement(cases, steps, masks));
    const where = needs.length === 0 ? target.where : and(target.where, ...needs);
    const order = masks ? cut.order.filter(({ field }) => !isUnreadable(field, masks)) : cut.order;
    return new BoundLevel(new Target({ ...target, masks, where }), { ...cut, order, level, steps });
  }

  *#bindSteps({ steps }: Level): Work<readonly BoundStep[]> {
    const { context, purpose } = this.#request;
    const below = purpose === "rule" || purpose === "query" ? this : new Binder({ ...this.#request, purpose: "query" }, this.#known);
    const bound: BoundStep[] = [];
    for (let start = 0; start < steps.length; start += boundAtOnce) {
      if (context.budget?.isTurnOver) yield context.budget.turn();
      bound.push(
        ...(yield* together(
          steps.slice(start, start + boundAtOnce).map(({ step }) => step.bind(below)),
          context.budget,
        )),
      );
    }
    return bound;
  }
}

const noSteps: readonly BoundStep[] = Object.freeze([]);

/** A step without a level around it. */
export function bindStep(step: ListStep, request: BindRequest): Work<BoundStep> {
  return step.bind(new Binder(request));
}

function cutOf(level: Level, args: Variables, api: Deployment["api"]): Pick<BoundLevel, "order" | "related" | "page"> {
  const compiled = orderOf(level, args.order, api);
  return { ...compiled, page: compilePage({ first: args.first, offset: args.offset }, compiled) };
}

function orderOf({ target, known }: Level, given: unknown, api: Deployment["api"]): CompiledOrder {
  if (target.kind === "union" || given === undefined) return noOrder;
  const last = known.order;
  if (last?.given === given && last.api === api) return last.compiled;
  const compiled = compileOrder(target, given, api);
  known.order = { given, api, compiled };
  return compiled;
}

export interface TargetRequest {
  readonly target: NodeType | UnionType;
  readonly types: readonly NodeType[];
  readonly filter: unknown;
  readonly purpose: Purpose;
}

/** Types and condition of the nodes that a filter lets through and the caller may see. */
export function bindTarget(request: TargetRequest, context: AccessContext): MaybePromise<Target> {
  return run(targetOf(request, context), context.budget);
}

function* targetOf({ target, types, filter, purpose }: TargetRequest, context: AccessContext): Work<Target> {
  const masks = yield* wait(masksOf(types, purpose, context));
  const isLong = context.budget !== undefined && holdsMoreThan(manyMembers, filter);
  if (isLong) yield context.budget.turn();
  const visible = filter === undefined ? undefined : yield* partnerVisibility({ target, filter, purpose }, context);
  const { api, hooks } = context.deployment;
  const filtered =
    visible === "forbidden" ? { types, where: none } : yield* filteredOf({ target, types, filter }, { api, hooks, masks, visible }, context);
  const { types: shown, where } = yield* wait(narrowTypes(filtered.types, purpose, context));
  // The storage compiles it in the next one.
  if (isLong) yield context.budget.turn();
  return new Target({
    types: shown.map((type) => type.stored),
    where: and(filtered.where, where),
    isDenied: filtered.types.length > 0 && shown.length === 0,
    isWhole: shown.length === types.length && filtered.where.kind === "all" && where.kind === "all",
    masks,
  });
}

/** Members of a filter that is compiled in a turn of its own. */
const manyMembers = 2_000;

/** Compiles the filter once, and once more if it has operands that take long. */
function* filteredOf(
  { target, types, filter }: Omit<TargetRequest, "purpose">,
  facts: TargetContext,
  { budget, valueLimits }: AccessContext,
): Work<Filtered> {
  if (filter === undefined || filter === null || !budget) return compileTarget(target, types, filter, facts);
  const operands = new LongOperands(valueLimits);
  const compile = () => compileTarget(target, types, filter, { ...facts, operands });
  const filtered = compile();
  if (!operands.isIncomplete) return filtered;
  yield* operands.make();
  return compile();
}

/** Some case must hold: an object is of one of the types that select the field, and has what that selection asks for. */
function requirement(cases: Requirement, steps: readonly BoundStep[], masks: Masks | undefined): Predicate {
  return or(
    ...cases.map(({ types, needs }) => {
      const present = need(needs, steps, masks);
      return types === undefined ? present : and({ kind: "type", types }, present);
    }),
  );
}

/** What the caller may not ask about is not asked for. */
function need(needs: RequirementCase["needs"], steps: readonly BoundStep[], masks: Masks | undefined): Predicate {
  if (needs.kind === "value") return behindMask({ kind: "has", field: needs.field }, needs.field, masks) ?? all;
  const step = steps[needs.step];
  return step ? needs.need.holds(step, masks) : none;
}
