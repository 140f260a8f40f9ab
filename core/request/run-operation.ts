// Runs a planned operation: queries side by side, mutations one after the other until one fails.

import { execute } from "graphql";
import { QuernError } from "../ground/errors.ts";
import { writeJson } from "../ground/json/write-json.ts";
import { allOf, isPromise } from "../ground/maybe-promise.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import { wrap } from "../mutation/error-messages.ts";
import { runMutationRoot } from "../mutation/run-mutation.ts";
import type { OperationContext, ResponseError, RootResult } from "../query/operation-context.ts";
import type { RootPlan } from "../query/plan/plan.ts";
import { readFailure } from "../query/read/error-messages.ts";
import { refusedRead } from "../query/read/refused-read.ts";
import { runQueryRoot } from "../query/read/run-root.ts";
import { type ErrorView, toResponseError } from "./faults.ts";
import type { PreparedOperation } from "./operation.ts";

/** What an operation came to, as text. */
export class OperationResult {
  readonly text: string;
  readonly errors?: readonly ResponseError[];

  constructor(text: string, errors: readonly ResponseError[]) {
    this.text = text;
    if (errors.length > 0) this.errors = errors;
  }
}

export interface Run {
  readonly context: OperationContext;
  readonly operation: PreparedOperation;
  readonly errors: ErrorView;
}

export function runOperation(run: Run): MaybePromise<OperationResult> {
  const roots = run.operation.plan.roots.filter((root) => root.included(run.context.variables));
  const results = run.operation.plan.kind === "mutation" ? runSerially(roots, run) : runSideBySide(roots, run);
  const introspection = run.operation.introspection ? introspect(run) : undefined;
  if (isPromise(results) || isPromise(introspection)) {
    return Promise.all([results, introspection]).then(([values, extra]) => assemble(run, roots, values, extra));
  }
  return assemble(run, roots, results, introspection);
}

function runSideBySide(roots: readonly RootPlan[], run: Run): MaybePromise<readonly RootResult[]> {
  const { unavailable } = run.context;
  if (unavailable !== undefined) return roots.map((root) => unavailableQuery(root, unavailable));
  return allOf(roots.map((root) => guarded(() => refusedRead(root, run.context) ?? runQueryRoot(root, run.context), root, run)));
}

function unavailableQuery({ key }: RootPlan, reason: string): RootResult {
  return { json: "null", errors: [{ message: readFailure(reason), path: [key] }] };
}

function unavailableMutation({ key, field, location }: RootPlan, reason: string): RootResult {
  const { message } = wrap("execute", field, new QuernError("REQUEST_REFUSED", reason), location);
  return { json: "null", errors: [{ message, locations: [location], path: [key] }], failed: true };
}

async function runSerially(roots: readonly RootPlan[], run: Run): Promise<readonly RootResult[]> {
  const results: RootResult[] = [];
  for (const root of roots) {
    const before = results.at(-1);
    results.push(before?.failed ? skipped(root) : await guarded(() => runMutation(root, run.context), root, run));
  }
  return results;
}

function runMutation(root: RootPlan, context: OperationContext): MaybePromise<RootResult> {
  return context.unavailable === undefined ? runMutationRoot(root, context) : unavailableMutation(root, context.unavailable);
}

/** Its key is not in `data`; the one after it is not run either. */
function skipped(root: RootPlan): RootResult {
  const message = `Mutation ${root.key} was not executed because of a previous error.`;
  return { json: "", errors: [{ message, locations: [root.location], path: [root.key] }], failed: true };
}

/** A root field fails alone. */
function guarded(work: () => MaybePromise<RootResult>, root: RootPlan, run: Run): MaybePromise<RootResult> {
  const failed = (thrown: unknown): RootResult => ({ json: "null", errors: [toResponseError(thrown, run.errors, [root.key])], failed: true });
  try {
    const result = work();
    return isPromise(result) ? result.then((value) => value, failed) : result;
  } catch (thrown) {
    return failed(thrown);
  }
}

/** `graphql` answers for `__schema`, `__type` and `__typename`; by key. */
function introspect(run: Run): MaybePromise<Readonly<Record<string, unknown>>> {
  const { deployment, variables } = run.context;
  const document = run.operation.introspection;
  if (!document) return {};
  const result = execute({ schema: deployment.api.schema, document, variableValues: variables });
  return isPromise(result) ? result.then((value) => value.data ?? {}) : (result.data ?? {});
}

function assemble(
  run: Run,
  roots: readonly RootPlan[],
  results: readonly RootResult[],
  introspection: Readonly<Record<string, unknown>> | undefined,
): OperationResult {
  const texts = new Map(roots.map((root, i) => [root.key, results[i]?.json ?? "null"]));
  for (const [key, value] of Object.entries(introspection ?? {})) texts.set(key, writeJson(value));
  const members = run.operation.keys.flatMap((key) => {
    const text = texts.get(key);
    return text === undefined || text === "" ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return new OperationResult(
    `{${members.join(",")}}`,
    results.flatMap((each) => shownErrors(each, run)),
  );
}

/** Errors of a root field that must not be told take all its errors along. */
function shownErrors(result: RootResult, run: Run): readonly ResponseError[] {
  if (!result.hidden || run.errors.debug) return result.errors;
  for (const { message } of result.errors) run.errors.logHidden?.(message);
  return [];
}
