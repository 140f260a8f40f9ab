// What every part of one running operation shares, and what one root field answers.

import type { Budget } from "../contracts/budget.ts";
import type { ExecuteAnswer, ExecuteRequest } from "../contracts/plugin/execute.ts";
import type { Permissions } from "../contracts/plugin/permissions.ts";
import type { RequestView } from "../contracts/plugin/request-view.ts";
import type { RootTransaction } from "../contracts/plugin/root-transaction.ts";
import type { Snapshot, Transaction } from "../contracts/storage/snapshot.ts";
import type { Committed, Storage } from "../contracts/storage/storage.ts";
import type { BrokenRule, ErrorCode, InputPath, Location, QuernError } from "../ground/errors.ts";
import type { JsonText } from "../ground/json/long-text.ts";
import type { TransactionScope } from "../ground/transaction-scope.ts";
import type { ValueLimits } from "../ground/value-limits.ts";
import type { CommitToken, MaybePromise } from "../ground/values/value.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { Log } from "../telemetry/log.ts";

/** One operation while it runs: what its root fields, their reads and their writes have in common. */
export interface OperationContext {
  readonly deployment: Deployment;
  readonly storage: Storage;
  /** The request as plugins see it, with the facts about its caller. */
  readonly request: RequestView;
  /** Coerced by the `graphql` package; variables without a value and without a default are null. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The variables as the client sent them. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly budget: OperationBudget;
  readonly log: Log;
  /** A plugin could not identify the caller: no node may be shown or touched. */
  readonly refused?: QuernError | undefined;
  /** Which fields the caller may read and write; undefined: all. */
  readonly permissions?: Permissions | undefined;
  /** Why a plugin's `permissions` hook refuses every root field. */
  readonly unauthorized?: QuernError | undefined;
  /** Why the server answers no root field of any caller at the moment. */
  readonly unavailable?: QuernError | undefined;
  /** Wraps each snapshot so that its reads are recorded, as a live query needs. */
  readonly recordReads?: ((snapshot: Snapshot) => Snapshot) | undefined;
  /** Kept from run to run of a live query, whose variables stay. Undefined: it runs once. */
  readonly runs?: KeptOfRuns | undefined;
  /** The snapshot of all root fields. Undefined: each opens its own. */
  readonly shared?: SharedSnapshot | undefined;
  /** Reads must see this commit. */
  readonly after?: CommitToken | undefined;
  /** Runs a request that a plugin's root field makes within this operation. */
  readonly nested?: NestedRun | undefined;
  /** How many root fields of plugins this operation is nested in. */
  readonly nesting?: number | undefined;
  /** Runs transactions of a plugin's root field. Undefined: the field only reads. */
  readonly transact?: RunTransaction | undefined;
  /** The transaction of a plugin that the operation is a part of. Undefined: each mutation has one of its own. */
  readonly within?: OpenTransaction | undefined;
  /** A language of a plugin may write. */
  readonly writes?: boolean | undefined;
  /** Called after every commit of a mutation. */
  readonly committed?: ((token: CommitToken) => void) | undefined;
  /** Called when a write is refused because another schema was deployed. */
  readonly overtaken?: (() => void) | undefined;
  /** Collects the queries that storage sends to a database server. Undefined: they are not collected. */
  readonly sentQueries?: string[] | undefined;
  /** Collects the ways that storage takes where sizes decide. Undefined: they are not collected. */
  readonly chosenWays?: string[] | undefined;
  /** Called after every write transaction, for the metrics. */
  readonly commits?: ((ok: boolean, durationMs: number) => void) | undefined;
  /** Nodes that one mutation may change. Undefined: as many as the store takes. */
  readonly maxChanges?: number | undefined;
  /** Milliseconds for which a transaction of a plugin may be open. Undefined: as long as the request. */
  readonly maxTransactionMs?: number | undefined;
  /** How long the values that it gives may be. Undefined: of any length. */
  readonly valueLimits?: ValueLimits | undefined;
}

/** What the runs of a live query share. */
export interface KeptOfRuns {
  /** Of a level with these variables, where plugins decide nothing. A nested request has other variables. */
  binding: { readonly of: object; readonly variables: object; readonly bound: object } | undefined;
}

/** What one operation may still spend, its answer included. */
export interface OperationBudget extends Budget {
  /** UTF-8 bytes by which the answer may still grow. */
  readonly room: number;
  /** Set when the answer is too long: nothing more is read for it, and its only content is this error. */
  readonly overflow: QuernError | undefined;
  /**
   * The answer grows by `bytes`.
   *
   * @throws `LIMIT_REACHED` when it is too long
   */
  answered(bytes: number): void;
  /** How many nodes the answer shows or the operation has written, whatever the storage had to visit for them: the same on every storage. */
  readonly shown: number;
  show(nodes: number): void;
  /** Whether the operation has worked for a whole turn and should wait for its next one. */
  readonly isTurnOver: boolean;
  turn(): PromiseLike<void>;
  /** The same budget for a time in which the operation holds the writer: its turns do not wait for requests that work for long. */
  whileWriting(): OperationBudget;
  /** Runs what the operation does in a transaction. Hooks that are called meanwhile have less time. @param work gets what hooks do there */
  transacting<T>(work: (scope: TransactionScope) => Promise<T>): Promise<T>;
}

/** One snapshot for the root fields of an operation, which do not all begin at the same time: they see the same data all the same. */
export interface SharedSnapshot {
  /** @param open called once */
  use(open: () => Snapshot): Snapshot;
}

export type RunTransaction = <T>(work: (tx: RootTransaction) => MaybePromise<T>, context: OperationContext) => Promise<Committed<T>>;

/** A transaction of a plugin's root field, while it is open. */
export interface OpenTransaction {
  readonly transaction: Transaction;
  /** What hooks do in it. */
  readonly attempt: { scope: TransactionScope | undefined };
  /** What reads in it see, with what the storage lacks. */
  readonly snapshot: Snapshot;
  /** Nodes that its mutations have changed so far. */
  changed: number;
  /** Mutations were about nodes of which something may be hidden from the caller, and perhaps left all of them as they were. */
  chose: boolean;
  /** A mutation of it was refused: nothing of it is committed. */
  refused: { readonly thrown: unknown } | undefined;
  /** Says in the words of the last mutation why the transaction could not be committed. */
  explain: ((thrown: QuernError) => Promise<QuernError>) | undefined;
}

export type NestedRun = (request: ExecuteRequest, nesting: Nesting) => MaybePromise<ExecuteAnswer>;

/** Where a nested request runs. */
export interface Nesting {
  /** The operation around it. */
  readonly context: OperationContext;
  /** Why a mutation is refused; undefined: it may run. */
  readonly refusesWrites?: string | undefined;
  /** Called after every commit of the nested request. */
  readonly committed: (token: CommitToken) => void;
}

/** What the reads of one root field share: they all go through one snapshot. */
export interface ReadContext
  extends Pick<OperationContext, "deployment" | "request" | "refused" | "permissions" | "variables" | "runs" | "valueLimits" | "budget" | "log"> {
  readonly snapshot: Snapshot;
  /** The operation, for requests of plugins within it. */
  readonly operation: OperationContext;
  readonly aside: Aside;
  /** The name of the root field in the answer. */
  readonly rootKey: string;
}

/** What the reads of one root field leave for the end. */
export interface Aside {
  /** Errors of plugins that belong to no value. */
  readonly errors: readonly FailedField[];
  /** Something was deferred and has not run. */
  readonly waits: boolean;
  report(error: FailedField): void;
  /** Leaves `work` for the time when everything else is read. */
  defer(work: () => MaybePromise<void>): void;
  /** Runs what was deferred, all at the same time. */
  settle(): MaybePromise<void>;
}

/** What plugins need to decide which nodes a request may see. Rules are compiled before a layout exists, and are not masked. */
export type AccessContext = Pick<OperationContext, "request" | "refused" | "permissions" | "valueLimits"> & {
  /** Undefined: the work takes no turns. */
  readonly budget?: OperationBudget;
  readonly deployment: Pick<Deployment, "api" | "facts" | "hooks"> & Partial<Pick<Deployment, "layout">>;
};

/** One root field's share of the answer. */
export interface RootResult {
  /** Compact JSON of the value under the root field's key; empty: the key is left out. */
  readonly json: JsonText;
  readonly errors: readonly FailedField[];
  /** The mutation failed: the mutations after it do not run. An error in the payload's completion is not a failure. */
  readonly failed?: boolean;
  /** A non-null root field has no value: the whole `data` is null. */
  readonly propagates?: boolean;
  /** The caller must not learn the reason: the pipeline omits all errors of this field, except in debug mode. */
  readonly hidden?: boolean;
  /** A fault of the server that `errors` do not show. The pipeline logs it. */
  readonly fault?: unknown;
}

/** An entry of `errors`, in the order in which its members are written. */
export interface ResponseError {
  readonly message: string;
  readonly locations?: readonly Location[];
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What failed, before it is worded for a client (`request/shown-errors.ts`). */
export interface FailedField extends ResponseError {
  /** Default: `OPERATION_FAILED`. */
  readonly code?: ErrorCode;
  readonly compatible?: string;
  /** Where Dgraph names no place in the answer: the path, for others. */
  readonly ownPath?: readonly (string | number)[];
  readonly input?: InputPath;
  readonly rule?: BrokenRule;
  /** The faults that this one stands for. Clients get them in its place, but for those who expect Dgraph's one error. */
  readonly parts?: readonly FailedField[];
}
