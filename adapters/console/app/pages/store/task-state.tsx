// How far a task of the server is, or how it ended.

import { type JsonObject, textOf } from "../../api/json.ts";
import { agoText } from "../../parts/figures.tsx";

export function TaskState({ task }: { readonly task: JsonObject }) {
  const status = textOf(task.status);
  if (status === "Queued") return <p class="hint">Waits for another task.</p>;
  if (status === "Running") return <progress value={Number(task.percent)} max={100} />;
  return (
    <p class={status === "Success" ? "task-end" : "task-end bad"}>
      {textOf(task.message)} <small>{agoText(Date.parse(textOf(task.lastUpdated)))}</small>
    </p>
  );
}

export function isUnderWay(task: JsonObject | undefined): boolean {
  return task !== undefined && (task.status === "Queued" || task.status === "Running");
}

/** The newest task of a kind. */
export function newest(tasks: readonly JsonObject[], kind: string): JsonObject | undefined {
  return tasks.find((task) => task.kind === kind);
}
