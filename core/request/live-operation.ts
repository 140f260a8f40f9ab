// A subscription ready to run, as often as somebody asks.

import type { RequestView } from "../contracts/plugin.ts";
import type { Snapshot } from "../contracts/storage.ts";
import { QuernError } from "../ground/errors.ts";
import type { CommitToken, MaybePromise } from "../ground/values/value.ts";
import type { ResponseError } from "../query/operation-context.ts";
import type { OperationPlan } from "../query/plan/plan.ts";
import type { Level, RootShape } from "../query/plan/selection.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { GraphQLRequest } from "./request.ts";

/** What a request for live results is. */
export type LiveStart =
  | { readonly kind: "live"; readonly operation: LiveOperation }
  /** A query or mutation: nothing has run. */
  | { readonly kind: "other" }
  | { readonly kind: "refused"; readonly errors: readonly ResponseError[] };

export interface LiveOperation {
  /** What has to be kept to plan it again under another schema. Its text is the document's own, which equal requests share. */
  readonly request: GraphQLRequest;
  /** As written in the document. */
  readonly name: string | undefined;
  readonly deployment: Deployment;
  /** Who asked, with what plugins know of them. */
  readonly view: RequestView;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Nobody but the kernel and its plugins has a part in it; others may look at the whole request. */
  readonly isPlain: boolean;
  /** Never rejects. */
  run(run: LiveRun): MaybePromise<LiveResult>;
}

export interface LiveRun {
  /** Who asks: the one who asked first, or whoever is the same to the plan. */
  readonly view: RequestView;
  readonly recordReads: (snapshot: Snapshot) => Snapshot;
  readonly after?: CommitToken;
}

export interface LiveResult {
  readonly errors: readonly ResponseError[];
  /** JSON text; undefined when nothing ran. */
  readonly data: string | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
  /** A fault of the server is among the errors. */
  readonly faulted: boolean;
  /** The first thing that was thrown, whatever became of it. */
  readonly trouble: unknown;
}

/** @throws QuernError `REQUEST_REFUSED` for a plan with values that change unseen */
export function assertWatchable({ roots }: OperationPlan): void {
  for (const root of roots) for (const level of levelsOf(root.selection.whole())) assertLevel(level);
}

function levelsOf(shape: RootShape): readonly Level[] {
  return shape.kind === "nodes" ? [shape.level] : [];
}

function assertLevel({ computed, links }: Level): void {
  for (const step of computed) {
    if (!step.computed.elsewhere) continue;
    throw new QuernError("REQUEST_REFUSED", `Custom field \`${step.computed.field.name}\` is not supported in graphql subscription`);
  }
  for (const { level } of links) assertLevel(level);
}
