// Asks a running server for long work, and waits for its end.

import { setTimeout } from "node:timers/promises";
import { isObject, parseJson, QuernError, writeJson } from "../../core/plugin.ts";
import { createProgress } from "./progress.ts";
import { answerIn, type ServerAddress, send } from "./server-url.ts";

/** Between two questions for the state of a task. */
const everyMs = 250;

export interface TaskRequest {
  /** The field of the admin API: `export`, `backup` or `restore`. */
  readonly field: string;
  /** The name of its input type. */
  readonly inputType: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** @returns what the server says about the result. Errors: `OPERATION_FAILED` when the task fails. */
export async function runServerTask(server: ServerAddress, { field, inputType, input }: TaskRequest): Promise<string> {
  const asked = await adminData(server, `mutation ($input: ${inputType}!) { task: ${field}(input: $input) { taskId } }`, { input });
  const { task } = asked;
  const id = isObject(task) ? task.taskId : undefined;
  const bar = createProgress(field);
  try {
    for (;;) {
      const { status, message, percent } = await stateOf(server, id);
      bar.update(Number(percent ?? 0), 100, String(status));
      if (status === "Success") return String(message);
      if (status === "Failed") throw new QuernError("OPERATION_FAILED", `The server could not finish: ${String(message)}`);
      await setTimeout(everyMs);
    }
  } finally {
    bar.stop();
  }
}

async function stateOf(server: ServerAddress, id: unknown): Promise<Readonly<Record<string, unknown>>> {
  const asked = { query: "query ($id: String!) { task(input: { id: $id }) { status message percent } }", variables: { id } };
  const response = await sendAdmin(server, asked);
  // While a restore exchanges the files, the store is closed for a moment.
  if (response.status === 503) {
    await response.body?.cancel();
    return { status: "Running", percent: 100 };
  }
  const { task } = dataIn(await answerIn(response));
  return isObject(task) ? task : {};
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
