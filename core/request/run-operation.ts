// Runs a prepared operation: queries concurrently, mutations serially until one fails.

import { QuernError } from "../ground/errors.ts";
import { type JsonText, joinTexts } from "../ground/json/long-text.ts";
import { andThen, isPromise } from "../ground/maybe-promise.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import { wrap } from "../mutation/error-messages.ts";
import { failedResult, runMutationRoot } from "../mutation/run-mutation.ts";
import { runTogether } from "../mutation/run-together.ts";
import type { OperationContext, ResponseError, RootResult } from "../query/operation-context.ts";
import type { RootPlan } from "../query/plan/plan.ts";
import { refusedRead } from "../query/read/refused-read.ts";
import { runQueryRoot } from "../query/read/run-root.ts";
import { readFailure } from "../query/write/error-messages.ts";
import { mayRunLater, toResponseError } from "./faults.ts";
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

export function runOperation(run: RunningOperation): MaybePromise<OperationResult> {
  const roots = run.operation.plan.roots.filter((root) => root.included(run.variables));
  const results = resultsOf(roots, run);
  return andThen(results, (values) => andThen(introspect(run), (extra) => assemble(run, new Map([...keyed(roots, values), ...extra]))));
}

function resultsOf(roots: readonly RootPlan[], run: RunningOperation): MaybePromise<readonly RootResult[]> {
  const { kind, atomic } = run.operation.plan;
  if (kind !== "mutation") return runConcurrently(roots, run);
  return atomic ? runAtomically(roots, run) : runSerially(roots, run);
}

function runConcurrently(roots: readonly RootPlan[], run: RunningOperation): MaybePromise<readonly RootResult[]> {
  const { unavailable, unauthorized } = run;
  if (unauthorized) return roots.map((root) => unauthorizedQuery(root, unauthorized.message));
  if (unavailable !== undefined) return roots.map((root) => unavailableQuery(root, unavailable));
  if (roots.length < 2) return runFew(roots, run);
  const shared = new LazySnapshot();
  return finished(
    () => runFew(roots, { ...run, shared }),
    () => shared.close(),
  );
}

/** Calls `end` when `work` has ended, in either way. */
function finished<T>(work: () => MaybePromise<T>, end: () => void): MaybePromise<T> {
  let result: MaybePromise<T>;
  try {
    result = work();
  } catch (thrown) {
    end();
    throw thrown;
  }
  if (isPromise(result)) return Promise.resolve(result).finally(end);
  end();
  return result;
}

/** Root fields that are read side by side, where the storage answers later. */
const maxRootsAtOnce = 32;

/** All results, at once if all root fields answer at once within one turn. Many root fields hold the memory of few. */
function runFew(roots: readonly RootPlan[], run: RunningOperation): MaybePromise<readonly RootResult[]> {
  const results: RootResult[] = [];
  let next = 0;
  const work = (): MaybePromise<void> => {
    while (next < roots.length) {
      // A clock is asked only where there is more than one.
      if (next > 0 && run.budget.isTurnOver) return run.budget.turn().then(work);
      const place = next++;
      const root = roots[place];
      const result = root && guarded(() => refusedRead(root, run) ?? runQueryRoot(root, run), root, run);
      if (result === undefined) continue;
      const keep = (value: RootResult) => {
        results[place] = value;
      };
      if (isPromise(result)) return result.then(keep).then(work);
      keep(result);
    }
  };
  const lanes = [work()];
  while (lanes.length < maxRootsAtOnce && next < roots.length) lanes.push(work());
  return andThen(concluded(lanes), () => results);
}

/** Ends when all have ended: only then may the snapshot be closed. */
function concluded(lanes: readonly MaybePromise<void>[]): MaybePromise<unknown> {
  if (!lanes.some(isPromise)) return undefined;
  return Promise.allSettled(lanes).then((ended) => {
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  });
}

function unavailableQuery({ key }: RootPlan, reason: string): RootResult {
  return { json: "null", errors: [{ message: readFailure(reason), path: [key] }] };
}

/** Not even null: a caller without permissions gets no data. */
function unauthorizedQuery(root: RootPlan, reason: string): RootResult {
  return { ...unavailableQuery(root, reason), json: "" };
}

function unavailableMutation({ key, field, location }: RootPlan, reason: string): RootResult {
  const { message } = wrap("execute", field, new QuernError("REQUEST_REFUSED", reason), location);
  return { json: "null", errors: [{ message, locations: [location], path: [key] }], failed: true };
}

async function runSerially(roots: readonly RootPlan[], run: RunningOperation): Promise<readonly RootResult[]> {
  const results: RootResult[] = [];
  for (const root of roots) {
    const before = results.at(-1);
    results.push(before?.failed ? skipped(root) : await guarded(() => runMutation(root, run), root, run));
  }
  return results;
}

/** All root fields are committed, or none is and the whole `data` is null. */
async function runAtomically(roots: readonly RootPlan[], run: RunningOperation): Promise<readonly RootResult[]> {
  const reason = run.unauthorized?.message ?? run.unavailable;
  const [first] = roots;
  if (first && reason !== undefined) return [{ ...unavailableMutation(first, reason), propagates: true }];
  const outcome = await runTogether(roots, run);
  if ("undone" in outcome) {
    const { undone, thrown } = outcome;
    return [{ ...(await guarded(() => failedResult(undone, thrown), undone, run)), propagates: true }];
  }
  try {
    const results: RootResult[] = [];
    for (const [i, root] of roots.entries()) results.push(await guarded(() => outcome.payloads[i]?.() ?? unknownPayload(root), root, run));
    return results;
  } finally {
    outcome.close();
  }
}

function unknownPayload({ field }: RootPlan): never {
  throw new QuernError("INTERNAL", `${field} has no payload.`);
}

function runMutation(root: RootPlan, context: OperationContext): MaybePromise<RootResult> {
  const reason = context.unauthorized?.message ?? context.unavailable;
  return reason === undefined ? runMutationRoot(root, context) : unavailableMutation(root, reason);
}

/** A mutation after a failed one: its key is not in `data`, and the next one does not run either. */
function skipped(root: RootPlan): RootResult {
  const message = `Mutation ${root.key} was not executed because of a previous error.`;
  return { json: "", errors: [{ message, locations: [root.location], path: [root.key] }], failed: true };
}

/** An error fails its root field alone. */
function guarded(work: () => MaybePromise<RootResult>, root: RootPlan, run: RunningOperation): MaybePromise<RootResult> {
  const ended = run.trace?.begin({ root, kind: run.operation.plan.kind, schema: run.deployment.api.schema });
  const failed = (thrown: unknown): RootResult => {
    // A query that had to give up its place, or its store, has done nothing: its client sends the whole of it again.
    if (run.operation.plan.kind === "query" && mayRunLater(thrown)) throw thrown;
    ended?.();
    return { json: "null", errors: [toResponseError(thrown, run.errors, [root.key])], failed: true, ...(root.nonNull && { propagates: true }) };
  };
  const counted = (result: RootResult): RootResult => {
    ended?.();
    if (result.fault !== undefined) run.errors.log(result.fault);
    // After an overflow only what is known of a committed mutation is left.
    if (typeof result.json === "string" && !run.budget.overflow) run.budget.answered(sizeOf(result.json, run.budget.room));
    return result;
  };
  try {
    const result = work();
    return isPromise(result) ? result.then(counted).then((value) => value, failed) : counted(result);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** UTF-8 bytes, exact where they may be more than there is room for. */
function sizeOf(text: string, room: number): number {
  return text.length * 3 <= room ? text.length : Buffer.byteLength(text);
}

function keyed(roots: readonly RootPlan[], results: readonly RootResult[]): readonly (readonly [string, RootResult])[] {
  return roots.flatMap(({ key }, i) => {
    const result = results[i];
    return result ? [[key, result] as const] : [];
  });
}

/** @param results by key */
function assemble(run: RunningOperation, results: ReadonlyMap<string, RootResult>): OperationResult {
  const { overflow } = run.budget;
  if (overflow && run.operation.plan.kind !== "mutation") return new OperationResult("null", [toResponseError(overflow, run.errors)]);
  const all = [...results.values()];
  const errors = all.flatMap((each) => shownErrors(each, run));
  if (all.some((each) => each.propagates)) return new OperationResult("null", errors);
  const parts: JsonText[] = [];
  for (const key of run.operation.keys) {
    const text = results.get(key)?.json;
    if (text !== undefined && text !== "") parts.push(`${parts.length === 0 ? "{" : ","}${JSON.stringify(key)}:`, text);
  }
  const isWithoutData = parts.length === 0 && run.unauthorized !== undefined;
  return new OperationResult(isWithoutData ? undefined : joinTexts([...(parts.length === 0 ? ["{"] : parts), "}"]), errors);
}

/** A root field with a hidden error shows none of its errors. */
function shownErrors(result: RootResult, run: RunningOperation): readonly ResponseError[] {
  if (!result.hidden || run.errors.debug) return result.errors;
  for (const { message } of result.errors) run.errors.logHidden?.(message);
  return [];
}
