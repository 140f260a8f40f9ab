// What every part of one running request shares.

import type { Budget } from "../contracts/budget.ts";
import type { ExecuteAnswer, ExecuteRequest, RequestView } from "../contracts/plugin.ts";
import type { Snapshot, Storage } from "../contracts/storage.ts";
import type { Location, QuernError } from "../ground/errors.ts";
import type { CommitToken, MaybePromise } from "../ground/values/value.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { Log } from "../telemetry/log.ts";

export interface OperationContext {
  readonly deployment: Deployment;
  readonly storage: Storage;
  readonly request: RequestView;
  /** Why a plugin would not say who asks: no node may be shown or touched. */
  readonly refused?: QuernError;
  /** Why no root field is answered now, whoever asks: the server takes no requests for a while. */
  readonly unavailable?: string;
  readonly budget: Budget;
  /** Stands between the plans and what they read: writes down what a live query hangs on. */
  readonly watched?: (snapshot: Snapshot) => Snapshot;
  /** Reads must see this commit. */
  readonly after?: CommitToken;
  /** Runs what a plugin's root field asks for within this request. */
  readonly nested?: (
    request: ExecuteRequest,
    nesting: { context: OperationContext; mayWrite: boolean; committed: (token: CommitToken) => void },
  ) => MaybePromise<ExecuteAnswer>;
  /** How many root fields of plugins this one runs within. */
  readonly nesting?: number;
  /** Hears of every commit of a mutation. */
  readonly committed?: (token: CommitToken) => void;
  /** Where the queries that storage sends to a server are written down. */
  readonly sent?: string[];
  /** Hears of every write transaction that ends. Undefined: nobody counts them. */
  readonly commits?: ((ok: boolean, durationMs: number) => void) | undefined;
  readonly log: Log;
  /** Nodes that one mutation may change. Undefined: as many as the store takes. */
  readonly maxChanges?: number;
  /** Coerced by the `graphql` package; variables without a value and without a default are null. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** As much as is needed to ask plugins which nodes a request may see. Rules are compiled before there is a layout, and look at everything. */
export type Asking = Pick<OperationContext, "request" | "refused"> & {
  readonly deployment: Pick<Deployment, "api" | "hooks"> & Partial<Pick<Deployment, "layout">>;
};

/** One root field's share of the answer. */
export interface RootResult {
  /** Compact JSON of the value under the root field's key. */
  readonly json: string;
  readonly errors: readonly ResponseError[];
  /** A mutation that failed: those after it are not run. Errors of a payload's completion are no failure. */
  readonly failed?: boolean;
  /** The caller must not learn why: the pipeline leaves all errors of this field out, except in debug mode. */
  readonly hidden?: boolean;
}

/** An entry of `errors`, in the order in which its members are written. */
export interface ResponseError {
  readonly message: string;
  readonly locations?: readonly Location[];
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}
