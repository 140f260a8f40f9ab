// Checks of the store: their last result, and a button for the next one.

import { useState } from "preact/hooks";
import type { JsonObject } from "../../api/json.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Failure } from "../../parts/pieces.tsx";
import { isUnderWay, newest, TaskState } from "./task-state.tsx";

export interface TasksProps {
  /** The newest first. */
  readonly tasks: readonly JsonObject[];
  readonly onBegun: () => void;
}

export function Checks({ tasks, onBegun }: TasksProps) {
  const { server } = useConsole();
  const [failure, setFailure] = useState<unknown>();
  const task = newest(tasks, "Check");
  const check = () => {
    setFailure(undefined);
    server.admin("mutation { checkStore { taskId } }").then(onBegun, setFailure);
  };
  return (
    <section class="card" aria-label="Checks">
      <h2>Checks</h2>
      {task === undefined ? (
        <p class="hint">None since the server started. A check reads the whole store while it serves, and repairs nothing.</p>
      ) : (
        <TaskState task={task} />
      )}
      <Failure of={failure} />
      <button type="button" disabled={isUnderWay(task)} onClick={check}>
        Check indexes, links and keys
      </button>
    </section>
  );
}
