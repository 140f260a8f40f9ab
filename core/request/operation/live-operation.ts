// A prepared subscription, which can run any number of times.

import type { NodeSelection } from "../../contracts/plugin/level-step.ts";
import type { LiveOperation } from "../../contracts/plugin/live-engine.ts";
import type { RequestView } from "../../contracts/plugin/request-view.ts";
import { QuernError } from "../../ground/errors.ts";
import { Level } from "../../query/level/level.ts";
import type { RootShape } from "../../query/level/selection.ts";
import type { ResponseError } from "../../query/operation-context.ts";
import type { OperationPlan } from "../../query/plan/plan.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import type { GraphQLRequest } from "../caller/request.ts";

/** What a request for live results turned out to be. */
export type LiveStart =
  | { readonly kind: "live"; readonly operation: PreparedSubscription }
  /** A query or mutation: nothing has run. */
  | { readonly kind: "other" }
  | { readonly kind: "refused"; readonly errors: readonly ResponseError[] };

/** The operation, and what the kernel keeps beside it. */
export interface PreparedSubscription extends LiveOperation {
  /** Kept to plan the operation again under another schema. Equal requests share its text. */
  readonly request: GraphQLRequest;
  readonly schema: Deployment;
  /** The request with the facts about its caller. */
  readonly view: RequestView;
  /**
   * Counts a subscription for its caller. Called when the operation is subscribed to, not when it is planned again. Undefined: its caller is not limited.
   */
  readonly subscribe: (() => Subscribed) | undefined;
}

/** A subscription that counts for its caller until `leave`, or the errors because the caller has as many as it may. */
export type Subscribed =
  | { readonly leave: () => void; readonly errors?: undefined }
  | { readonly leave?: undefined; readonly errors: readonly ResponseError[] };

/** @throws QuernError `REQUEST_REFUSED` for a plan with values whose changes the kernel cannot see */
export function assertWatchable({ roots }: OperationPlan): void {
  for (const root of roots) for (const level of levelsOf(root.selection.whole())) assertLevel(level);
}

function levelsOf(shape: RootShape): readonly NodeSelection[] {
  if (shape.kind === "nodes") return [shape.level];
  return shape.kind === "step" ? shape.step.selections : [];
}

function assertLevel(level: NodeSelection): void {
  if (!(level instanceof Level)) return;
  for (const { step } of level.steps) {
    if (step.computed?.volatile)
      throw new QuernError("REQUEST_REFUSED", `Custom field \`${step.computed.field.name}\` is not supported in graphql subscription`);
    for (const below of step.selections) assertLevel(below);
  }
}
