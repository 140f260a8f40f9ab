// Where a query runs: in the kernel's thread, or in a worker. A query begins here, unless its plan looks large or it has held the thread before; once it
// counts as long, a worker runs it from the start and what was done here is dropped. So short queries never wait for a thread, and long ones stop nobody.

import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import type { Permissions } from "../../contracts/plugin/permissions.ts";
import type { HandedAnswer, HandedQuery, ReadWorkers } from "../../contracts/read-workers.ts";
import { Fact } from "../../ground/facts.ts";
import { LongText } from "../../ground/json/long-text.ts";
import { andThen, rescued } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { Level } from "../../query/level/level.ts";
import type { Variables } from "../../query/level/selection.ts";
import { estimateCost } from "../../query/plan/estimate-cost.ts";
import type { RootPlan } from "../../query/plan/plan.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import type { GraphQLAnswer } from "../caller/request.ts";
import type { PreparedOperation } from "../documents/operation.ts";
import { answerOfText } from "../operation/answer.ts";
import { type ActiveRequest, runningOperationOf } from "../operation/request-context.ts";
import type { RunningOperation } from "../operation/running-operation.ts";

export interface OffloadOptions {
  readonly workers: ReadWorkers;
  readonly plugins: readonly Pick<DirectivePlugin, "name" | "mainThreadOnly">[];
}

export class Offload {
  readonly #workers: ReadWorkers;
  /** Plugins with a state that only this thread has. */
  readonly #staying: ReadonlySet<string>;
  /** Whether no plugin of the deployment keeps its operations here. */
  readonly #areMovable = new WeakMap<Deployment, boolean>();

  constructor({ workers, plugins }: OffloadOptions) {
    this.#workers = workers;
    this.#staying = new Set(plugins.filter((each) => each.mainThreadOnly).map(({ name }) => name));
  }

  /**
   * @param here runs the query in this thread; called again when a worker could not run it
   */
  run(context: ActiveRequest, here: () => MaybePromise<GraphQLAnswer>): MaybePromise<GraphQLAnswer> {
    const { operation, variables } = runningOperationOf(context);
    if (this.#workers.placement.of(operation, () => estimateCost(operation.plan, variables)) === "elsewhere") {
      const moved = this.#send(context);
      if (moved !== undefined) return this.#settled(moved, context, here);
    }
    return this.#begin(context, here);
  }

  /** Begins here, and goes on elsewhere when it is long. */
  #begin(context: ActiveRequest, here: () => MaybePromise<GraphQLAnswer>): MaybePromise<GraphQLAnswer> {
    const { budget } = context;
    let moved: Promise<HandedAnswer | undefined> | undefined;
    const leave = () => {
      moved = this.#send(context);
      if (moved !== undefined) this.#workers.placement.becameLong(runningOperationOf(context).operation);
      return moved !== undefined;
    };
    // Not in one step with the function: V8 puts a function that is written to a property among old objects, where it keeps the whole request
    // alive until the next full collection.
    budget.whenLong = leave;
    const begun = performance.now();
    // Between two root fields what runs here ends by an exception.
    const ended = rescued<GraphQLAnswer | undefined>(here, (thrown) => {
      if (moved === undefined) throw thrown;
      return undefined;
    });
    return andThen(ended, (answer) => {
      if (answer !== undefined && moved === undefined) {
        this.#workers.placement.ranHere(runningOperationOf(context).operation, budget.usedTurns, performance.now() - begun);
        return answer;
      }
      budget.stay();
      return this.#settled(moved, context, here);
    });
  }

  async #settled(
    moved: Promise<HandedAnswer | undefined> | undefined,
    context: ActiveRequest,
    here: () => MaybePromise<GraphQLAnswer>,
  ): Promise<GraphQLAnswer> {
    const answer = await moved;
    if (answer === undefined) return await here();
    const { operation } = runningOperationOf(context);
    this.#workers.placement.ranElsewhere(operation, answer.durationMs);
    context.outcome = answer.outcome;
    context.budget.touched = answer.touched;
    return graphqlAnswer(answer, operation);
  }

  /** Undefined: it runs here. */
  #send(context: ActiveRequest): Promise<HandedAnswer | undefined> | undefined {
    const running = runningOperationOf(context);
    if (context.trace || context.showsPlan || !this.#mayMove(running)) return undefined;
    // The worker may take as long as is left; its answer's way back is not counted.
    return this.#workers.run(handed(context, running), context.budget);
  }

  #mayMove({ operation, variables, deployment, refused, unauthorized, unavailable }: RunningOperation): boolean {
    if (refused !== undefined || unauthorized !== undefined || unavailable !== undefined) return false;
    if (!isMovable(operation, variables)) return false;
    let mayMove = this.#areMovable.get(deployment);
    if (mayMove === undefined) {
      mayMove = !deployment.hooks.some(({ plugin }) => this.#staying.has(plugin));
      this.#areMovable.set(deployment, mayMove);
    }
    return mayMove;
  }
}

/** What plugins answer with code of their own stays: it may ask other services, or keep something in memory. */
function isMovable({ plan }: PreparedOperation, variables: Variables): boolean {
  return plan.kind === "query" && !plan.introspects && plan.roots.every((root) => !root.included(variables) || isStored(root, variables));
}

function isStored({ operation, selection }: RootPlan, variables: Variables): boolean {
  if (operation.kind === "plugin") return false;
  const shape = selection.select(variables);
  if (shape.kind === "nodes") return shape.level.isStored;
  return shape.kind === "step" && shape.step.selections.every((each) => each instanceof Level && each.isStored);
}

function handed(context: ActiveRequest, { request, permissions, deployment, after, operation, given }: RunningOperation): HandedQuery {
  const { id, now, headers, facts } = request;
  return {
    query: context.request.query,
    operationName: operation.definition.name?.value,
    variables: given,
    as: context.request.as ?? "caller",
    request: { id, now, headers, facts },
    readable: permissions && readableNames(permissions, deployment),
    after,
    version: deployment.version,
    leftMs: context.budget.deadline - performance.now(),
    caller: context.callerName,
  };
}

/** The stored names that a caller may read, by its permissions. */
const readable = new Fact((_: Deployment) => new WeakMap<Permissions, readonly string[]>());

/** The permissions of a single plugin stay the same object for many requests. */
function readableNames(permissions: Permissions, deployment: Deployment): readonly string[] {
  const known = readable.of(deployment);
  const found = known.get(permissions) ?? storedNames(deployment).filter((name) => permissions.mayRead(name));
  known.set(permissions, found);
  return found;
}

function storedNames({ layout }: Deployment): readonly string[] {
  const ends = layout.edges.flatMap(({ sides }) => sides.flatMap((side) => side.ends.map(({ name }) => name)));
  return [...layout.fields.map(({ name }) => name), ...ends];
}

function graphqlAnswer({ body, shown, requestErrors, retryAfterSeconds }: HandedAnswer, { plan }: PreparedOperation): GraphQLAnswer {
  const text = typeof body === "string" ? body : new LongText(body);
  return {
    ...answerOfText(text, { touched: shown, maxAgeSeconds: plan.maxAgeSeconds, requestErrors, kind: plan.kind }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
