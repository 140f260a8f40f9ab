// Asks a running server for long work, and waits for its end.

import { setTimeout } from "node:timers/promises";
import { isObject, parseJson, QuernError, writeJson } from "../../../core/plugin.ts";
import { createProgress } from "../ground/progress.ts";
import { answerIn, type ServerAddress, send } from "./server-url.ts";

/** How often the state of a task is asked for. */
export interface Patience {
  /** Between two questions. */
  readonly everyMs: number;
  /** Questions in a row that a server may leave unanswered with status 503. */
  readonly unanswered: number;
}

/** Five minutes: a large store takes some time to open. */
const patient: Patience = { everyMs: 250, unanswered: 1_200 };

export interface TaskRequest {
  /** The field of the admin API: `export`, `backup` or `restore`. */
  readonly field: string;
  /** The name of its input type. */
  readonly inputType: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * @returns what the server says about the result. Errors: `OPERATION_FAILED` when the task fails; `OUTCOME_UNKNOWN` when the server answers
 * status 503 for long
 */
export async function runServerTask(
  server: ServerAddress,
  { field, inputType, input }: TaskRequest,
  { everyMs, unanswered }: Patience = patient,
): Promise<string> {
  const asked = await adminData(server, `mutation ($input: ${inputType}!) { task: ${field}(input: $input) { taskId } }`, { input });
  const { task } = asked;
  const id = isObject(task) ? task.taskId : undefined;
  const bar = createProgress(field);
  let unavailable = 0;
  try {
    for (;;) {
      const state = await stateOf(server, id);
      unavailable = state === undefined ? unavailable + 1 : 0;
      if (unavailable > unanswered) throw unavailableFor(server, field);
      const { status, message, percent } = state ?? { status: "Running", percent: 100 };
      bar.update(Number(percent ?? 0), 100, String(status));
      if (status === "Success") return String(message);
      if (status === "Failed") throw new QuernError("OPERATION_FAILED", `The server could not finish: ${String(message)}`);
      await setTimeout(everyMs);
    }
  } finally {
    bar.stop();
  }
}

interface TaskState {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly percent?: unknown;
}

/** Undefined while the server answers status 503. */
async function stateOf(server: ServerAddress, id: unknown): Promise<TaskState | undefined> {
  const asked = { query: "query ($id: String!) { task(input: { id: $id }) { status message percent } }", variables: { id } };
  const response = await sendAdmin(server, asked);
  // While a restore exchanges the files, the store is closed for a moment.
  if (response.status === 503) {
    await response.body?.cancel();
    return undefined;
  }
  const { task } = dataIn(await answerIn(response));
  return isObject(task) ? task : {};
}

function unavailableFor({ url }: ServerAddress, field: string): QuernError {
  return new QuernError(
    "OUTCOME_UNKNOWN",
    `The server at ${url} answers status 503 and does not come back, so the outcome of the ${field} is unknown`,
    {
      hint: "Its log says why its store does not open. Stop it, and look at its store with: quern check --data <dir>. A restore keeps the data of before in a folder replaced-* of the store.",
    },
  );
}

async function adminData(
  server: ServerAddress,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  return dataIn(await answerIn(await sendAdmin(server, { query, variables })));
}

function sendAdmin(server: ServerAddress, request: Readonly<Record<string, unknown>>): Promise<Response> {
  return send(server, "/admin", { body: writeJson(request), contentType: "application/json" });
}

function dataIn(body: string): Readonly<Record<string, unknown>> {
  const answer = parseJson(body);
  if (!isObject(answer)) throw new QuernError("STORE_UNAVAILABLE", "The server does not answer as a Quern server.");
  const { data, errors } = answer;
  if (Array.isArray(errors) && errors.length > 0) {
    throw new QuernError("REQUEST_REFUSED", errors.map((each: unknown) => (isObject(each) ? String(each.message) : String(each))).join("; "));
  }
  return isObject(data) ? data : {};
}
