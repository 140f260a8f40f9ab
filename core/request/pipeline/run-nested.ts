// Runs a request that a plugin's root field makes within an operation, as the same caller: planned, narrowed and checked as any other.

import type { ExecuteAnswer, ExecuteRequest } from "../../contracts/plugin/execute.ts";
import type { RequestView } from "../../contracts/plugin/request-view.ts";
import { QuernError } from "../../ground/errors.ts";
import { parseJson } from "../../ground/json/parse-json.ts";
import { patienceOf } from "../../ground/patience.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import type { NestedRun, OperationContext } from "../../query/operation-context.ts";
import { callerPermissions } from "../caller/caller-permissions.ts";
import { identifyCaller } from "../caller/identify-caller.ts";
import { lowerCased } from "../caller/lower-case-headers.ts";
import { RunningRequest } from "../caller/request-view.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import { type ErrorView, failureOf } from "../errors/faults.ts";
import { RequestRefusal } from "../errors/refusal.ts";
import { worded } from "../errors/worded-errors.ts";
import { ActiveRequest, type ContextOptions } from "../operation/request-context.ts";
import { runOperation } from "../operation/run-operation.ts";
import { stagesWith } from "../operation/stages.ts";
import { prepareRequest } from "./prepare-request.ts";
import { languageNamed, runLanguage } from "./run-language.ts";

/** A nested request may reach a root field that makes another one. */
const maxNesting = 8;

/** No caller's limits. */
const unlimited = { refused: undefined, permissions: undefined, unauthorized: undefined };

const plainStages = stagesWith([]);

/** Runs requests within an operation of `schema`. They share its budget, its facts about the caller and its time. */
export function nestedRuns(schema: ActiveSchema, options: ContextOptions): NestedRun {
  return ({ query, language = "graphql", variables = {}, as = "caller", headers }, { context, refusesWrites, committed }) => {
    const nesting = (context.nesting ?? 0) + 1;
    if (nesting > maxNesting) {
      throw new QuernError("LIMIT_REACHED", `Root fields ask for each other more than ${maxNesting} deep. One of them asks for itself.`);
    }
    const asked = as === "system" ? schema.unrestricted() : schema;
    // The request around it works for long already, or waits its turn: both would wait for each other.
    const request = new ActiveRequest(asked, { query, variables }, { ...options, longWork: undefined });
    const errors: ErrorView = {
      debug: options.debug,
      style: request.style,
      log: (fault: unknown) => context.log.fault(fault, { requestID: context.request.id }),
    };
    const inLanguage = function* (): Work<ExecuteAnswer> {
      const asking = languageNamed(language, options.languages ?? []);
      const rights = yield* rightsOf(asked, { as, headers, around: context.request });
      const writes = refusesWrites === undefined && context.within === undefined;
      return {
        data: yield* wait(runLanguage(asking, { text: query, variables }, { ...context, ...rights, nesting, writes, committed })),
        errors: [],
      };
    };
    const inGraphQL = function* (): Work<ExecuteAnswer> {
      const prepared = yield* wait(prepareRequest(request, plainStages(request), options.limits));
      const { kind } = prepared.operation.plan;
      if (kind === "subscription") throw new QuernError("REQUEST_REFUSED", "A root field cannot subscribe.");
      if (kind === "mutation" && refusesWrites !== undefined) throw new QuernError("REQUEST_REFUSED", refusesWrites);
      const rights = yield* rightsOf(asked, { as, headers, around: context.request });
      const running = { ...context, ...rights, ...prepared, nesting, committed, overtaken: undefined, errors };
      const { text, errors: reported = [] } = yield* wait(runOperation(running));
      return { data: text === undefined ? undefined : dataOf(String(text)), errors: reported };
    };
    return run(withErrors(language === "graphql" ? inGraphQL() : inLanguage(), errors), context.budget);
  };
}

/** Errors of the nested request are part of its answer, but for those that end the request around it. */
function* withErrors(work: Work<ExecuteAnswer>, errors: ErrorView): Work<ExecuteAnswer> {
  try {
    return yield* work;
  } catch (thrown) {
    if (thrown instanceof RequestRefusal) return { data: undefined, errors: worded(thrown.errors, errors.style) };
    if (!(thrown instanceof QuernError) || thrown.code === "LIMIT_REACHED" || thrown.code === "CANCELLED") throw thrown;
    return { data: undefined, errors: worded([failureOf(thrown, errors)], errors.style) };
  }
}

interface Asking {
  readonly as: "caller" | "system";
  readonly headers: ExecuteRequest["headers"] | undefined;
  /** The request around it, in whose time it runs. */
  readonly around: RequestView;
}

/** What differs from the operation around it. */
function* rightsOf(asked: ActiveSchema, { as, headers: given, around }: Asking): Work<Partial<OperationContext>> {
  if (as === "system") return { ...unlimited, deployment: asked.deployment, nested: asked.nested };
  if (given === undefined) return {};
  const headers = lowerCased(given);
  const came = new RunningRequest(headers, {}, { patience: patienceOf(around) });
  for (const { hooks } of asked.deployment.hooks) hooks.admit?.(headers, came);
  const { view, refused } = yield* wait(identifyCaller(asked, came));
  const permitted = yield* wait(callerPermissions(asked, view));
  return { ...unlimited, request: view, refused, ...permitted };
}

function dataOf(text: string): ExecuteAnswer["data"] {
  const data: unknown = parseJson(text);
  return typeof data === "object" && data !== null ? Object.fromEntries(Object.entries(data)) : undefined;
}
