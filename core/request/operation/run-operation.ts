// Runs a prepared operation: queries concurrently, mutations serially until one fails.

import { QuernError } from "../../ground/errors.ts";
import { type JsonText, joinTexts } from "../../ground/json/long-text.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, together, type Work, wait } from "../../ground/work.ts";
import { wrap } from "../../mutation/context/error-messages.ts";
import { writeWithin } from "../../mutation/transaction/root-transaction.ts";
import { failedResult, runMutationRoot } from "../../mutation/transaction/run-mutation.ts";
import { runTogether } from "../../mutation/transaction/run-together.ts";
import type { FailedField, OpenTransaction, OperationContext, ResponseError, RootResult } from "../../query/operation-context.ts";
import type { RootPlan } from "../../query/plan/plan.ts";
import { refusedRead } from "../../query/read/refused-read.ts";
import { runQueryRoot } from "../../query/read/run-root.ts";
import { readFailure } from "../../query/write/error-messages.ts";
import { failedField } from "../../query/write/failed-field.ts";
import { failureOf, mayRunLater } from "../errors/faults.ts";
import { worded } from "../errors/worded-errors.ts";
import { introspect } from "./introspect.ts";
import type { RunningOperation } from "./running-operation.ts";
import { LazySnapshot } from "./shared-snapshot.ts";

/** An operation's `data` as JSON text, and its errors. */
export class OperationResult {
  /** Undefined: no root field has a value. */
  readonly text: JsonText | undefined;
  readonly errors?: readonly ResponseError[];

  constructor(text: JsonText | undefined, errors: readonly ResponseError[]) {
    this.text = text;
    if (errors.length > 0) this.errors = errors;
  }
}

export function runOperation(running: RunningOperation): MaybePromise<OperationResult> {
  return run(operationResult(running), running.budget);
}

function* operationResult(running: RunningOperation): Work<OperationResult> {
  const roots = running.operation.plan.roots.filter((root) => root.included(running.variables));
  const results = yield* resultsOf(roots, running);
  const byKey = new Map<string, RootResult>();
  for (const [i, { key }] of roots.entries()) {
    const result = results[i];
    if (result) byKey.set(key, result);
  }
  if (running.operation.introspects) yield* introspect(running, byKey);
  return assemble(running, byKey);
}

function resultsOf(roots: readonly RootPlan[], running: RunningOperation): Work<readonly RootResult[]> {
  const { kind, atomic } = running.operation.plan;
  if (kind !== "mutation") return runConcurrently(roots, running);
  if (running.within) return runWithin(roots, running, running.within);
  return atomic ? runAtomically(roots, running) : runSerially(roots, running);
}

function* runConcurrently(roots: readonly RootPlan[], running: RunningOperation): Work<readonly RootResult[]> {
  const { unavailable, unauthorized } = running;
  if (unauthorized) return roots.map((root) => unauthorizedQuery(root, unauthorized));
  if (unavailable !== undefined) return roots.map((root) => unavailableQuery(root, unavailable));
  const [first] = roots;
  if (first && roots.length === 1) return [yield* query(first, running)];
  if (running.shared) return yield* runFew(roots, running);
  const shared = new LazySnapshot();
  try {
    return yield* runFew(roots, { ...running, shared });
  } finally {
    shared.close();
  }
}

/** Root fields that are read side by side, where the storage answers later. */
const maxRootsAtOnce = 32;

/** Many root fields hold the memory of few. All have ended at the end: only then may the snapshot be closed. */
function* runFew(roots: readonly RootPlan[], running: RunningOperation): Work<readonly RootResult[]> {
  const results: RootResult[] = [];
  const left = roots.entries();
  let begun = 0;
  const lane = function* (): Work<void> {
    for (const [place, root] of left) {
      begun = place + 1;
      results[place] = yield* query(root, running);
      if (begun < roots.length && running.budget.isTurnOver) yield running.budget.turn();
    }
  };
  const lanes = function* () {
    for (let i = 0; i < maxRootsAtOnce && begun < roots.length; i++) yield lane();
  };
  yield* together(lanes(), running.budget);
  return results;
}

function query(root: RootPlan, running: RunningOperation): Work<RootResult> {
  return guarded(() => refusedRead(root, running) ?? runQueryRoot(root, running), root, running);
}

function unavailableQuery({ key }: RootPlan, { code, message, compatible = message }: QuernError): RootResult {
  return { json: "null", errors: [{ code, message, compatible: readFailure(compatible), path: [key] }] };
}

/** Not even null: a caller without permissions gets no data. */
function unauthorizedQuery(root: RootPlan, reason: QuernError): RootResult {
  return { ...unavailableQuery(root, reason), json: "" };
}

function unavailableMutation({ key, field, location }: RootPlan, reason: QuernError): RootResult {
  return { json: "null", errors: [failedField(wrap("execute", field, reason, location), [key])], failed: true };
}

function* runSerially(roots: readonly RootPlan[], running: RunningOperation): Work<readonly RootResult[]> {
  const results: RootResult[] = [];
  for (const root of roots) {
    results.push(results.at(-1)?.failed ? skipped(root) : yield* guarded(() => runMutation(root, running), root, running));
  }
  return results;
}

/** In a transaction of a plugin. An error is for the plugin, not for the answer: nothing of the transaction is committed. */
function* runWithin(roots: readonly RootPlan[], running: RunningOperation, open: OpenTransaction): Work<readonly RootResult[]> {
  const { budget, errors } = running;
  const results: RootResult[] = [];
  for (const root of roots) {
    const result = yield* wait(writeWithin(root, running, open));
    if (result.fault !== undefined) errors.log(result.fault);
    if (typeof result.json === "string") budget.answered(sizeOf(result.json, budget.room));
    results.push(result);
  }
  return results;
}

/** All root fields are committed, or none is and the whole `data` is null. */
function* runAtomically(roots: readonly RootPlan[], running: RunningOperation): Work<readonly RootResult[]> {
  const reason = refusalBefore(running);
  const [first] = roots;
  if (first && reason !== undefined) return [{ ...unavailableMutation(first, reason), propagates: true }];
  const outcome = yield* wait(runTogether(roots, running));
  if ("undone" in outcome) {
    const { undone, thrown } = outcome;
    return [{ ...(yield* guarded(() => failedResult(undone, thrown), undone, running)), propagates: true }];
  }
  try {
    const results: RootResult[] = [];
    for (const [i, root] of roots.entries()) results.push(yield* guarded(() => outcome.payloads[i]?.() ?? unknownPayload(root), root, running));
    return results;
  } finally {
    outcome.close();
  }
}

function unknownPayload({ field }: RootPlan): never {
  throw new QuernError("INTERNAL", `${field} has no payload.`);
}

function runMutation(root: RootPlan, context: OperationContext): MaybePromise<RootResult> {
  const reason = refusalBefore(context);
  return reason === undefined ? runMutationRoot(root, context) : unavailableMutation(root, reason);
}

/** Why nothing may run; undefined: it may. */
function refusalBefore({ unauthorized, unavailable }: OperationContext): QuernError | undefined {
  return unauthorized ?? unavailable;
}

/** A mutation after a failed one: its key is not in `data`, and the next one does not run either. */
function skipped(root: RootPlan): RootResult {
  const message = `Mutation ${root.key} was not executed because of a previous error.`;
  return { json: "", errors: [{ code: "NOT_EXECUTED", message, locations: [root.location], path: [root.key] }], failed: true };
}

/** An error fails its root field alone. */
function* guarded(work: () => MaybePromise<RootResult>, root: RootPlan, running: RunningOperation): Work<RootResult> {
  const { budget, operation, errors, trace, deployment } = running;
  const ended = trace?.begin({ root, kind: operation.plan.kind, schema: deployment.api.schema });
  try {
    const answer = work();
    const result = isPromise(answer) ? yield* wait(answer) : answer;
    ended?.();
    if (result.fault !== undefined) errors.log(result.fault);
    // After an overflow only what is known of a committed mutation is left.
    if (typeof result.json === "string" && !budget.overflow) budget.answered(sizeOf(result.json, budget.room));
    return result;
  } catch (thrown) {
    // A query that had to give up its place, or its store, has done nothing: its client sends the whole of it again.
    if (operation.plan.kind === "query" && mayRunLater(thrown)) throw thrown;
    // A fault of the store may be a lost race, after which the transaction runs again.
    if (running.within && !(thrown instanceof QuernError)) throw thrown;
    ended?.();
    return { json: "null", errors: [failureOf(thrown, errors, [root.key])], failed: true, ...(root.nonNull && { propagates: true }) };
  }
}

/** UTF-8 bytes, exact where they may be more than there is room for. */
function sizeOf(text: string, room: number): number {
  return text.length * 3 <= room ? text.length : Buffer.byteLength(text);
}

/** @param results by key */
function assemble(running: RunningOperation, results: ReadonlyMap<string, RootResult>): OperationResult {
  const { overflow } = running.budget;
  const { style } = running.errors;
  if (overflow && running.operation.plan.kind !== "mutation")
    return new OperationResult("null", worded([failureOf(overflow, running.errors)], style));
  const all = [...results.values()];
  const errors = worded(
    all.flatMap((each) => shownErrors(each, running)),
    style,
  );
  if (all.some((each) => each.propagates)) return new OperationResult("null", errors);
  const parts: JsonText[] = [];
  for (const key of running.operation.keys) {
    const text = results.get(key)?.json;
    if (text !== undefined && text !== "") parts.push(`${parts.length === 0 ? "{" : ","}${JSON.stringify(key)}:`, text);
  }
  const isWithoutData = parts.length === 0 && running.unauthorized !== undefined;
  return new OperationResult(isWithoutData ? undefined : joinTexts([...(parts.length === 0 ? ["{"] : parts), "}"]), errors);
}

/** A root field with a hidden error shows none of its errors: that it was refused, or, as Dgraph has it, not even that. */
function shownErrors(result: RootResult, { errors: view }: RunningOperation): readonly FailedField[] {
  if (!result.hidden || view.debug) return result.errors;
  for (const { message, compatible = message } of result.errors) view.logHidden?.(view.style === "plain" ? message : compatible);
  if (view.style === "compatible") return [];
  const [{ path } = {}] = result.errors;
  return [{ code: "FORBIDDEN", message: forbiddenText, ...(path && { path }) }];
}

/** The same whatever is hidden: it tells no more than null does. */
const forbiddenText = "The access rules do not allow this, or an object that they hide stands against it.";
