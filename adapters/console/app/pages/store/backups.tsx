// Backups: those in a folder of the server, and a button for the next one.

import { useState } from "preact/hooks";
import { type JsonObject, objectsIn, textOf } from "../../api/json.ts";
import { messageOf } from "../../api/server.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Failure } from "../../parts/pieces.tsx";
import { useKept } from "../../parts/use-kept.ts";
import { useRequest } from "../../parts/use-request.ts";
import type { TasksProps } from "./checks.tsx";
import { isUnderWay, newest, TaskState } from "./task-state.tsx";

/** The newest ones. */
const maxShown = 10;

export function Backups({ tasks, onBegun }: TasksProps) {
  const { server } = useConsole();
  const [folder, setFolder] = useKept("backups", () => "");
  const [failure, setFailure] = useState<unknown>();
  const task = newest(tasks, "Backup");
  // Asked again when a backup has ended.
  const made = useRequest(() => listed(folder), [server, folder], [textOf(task?.id), textOf(task?.status)]);
  async function listed(location: string): Promise<readonly JsonObject[]> {
    if (location === "") return [];
    return objectsIn(
      (
        await server.admin("query ($location: String!) { listBackups(input: { location: $location }) { backupId backupNum type path } }", {
          location,
        })
      ).listBackups,
    );
  }
  const backUp = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const destination = String(new FormData(event.currentTarget).get("folder")).trim();
    setFolder(destination);
    setFailure(undefined);
    server
      .admin("mutation ($destination: String!) { backup(input: { destination: $destination }) { taskId } }", { destination })
      .then(onBegun, setFailure);
  };
  const backups = made.value ?? [];
  return (
    <section class="card" aria-label="Backups">
      <h2>Backups</h2>
      <form class="inline" onSubmit={backUp}>
        {/* The browser keeps the text that is typed: the page is drawn again while tasks run. */}
        <input
          name="folder"
          aria-label="Folder of the server for backups"
          title="A folder of the server"
          placeholder="/srv/backups"
          defaultValue={folder}
          onChange={({ currentTarget }) => setFolder(currentTarget.value.trim())}
          required
        />
        <button type="submit" disabled={isUnderWay(task)}>
          Back up now
        </button>
      </form>
      {task !== undefined && <TaskState task={task} />}
      <Failure of={failure} />
      {made.failure !== undefined && failure === undefined && <p class="hint">{messageOf(made.failure).replace(/^Error: /, "")}.</p>}
      {backups.length > 0 && made.failure === undefined && (
        <table>
          <tbody>
            {backups
              .slice(-maxShown)
              .reverse()
              .map(({ backupId, backupNum, type, path }) => (
                <tr key={`${textOf(backupId)} ${textOf(backupNum)}`}>
                  <th scope="row">{textOf(path)}</th>
                  <td>{textOf(type)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      )}
      {folder !== "" && made.failure === undefined && made.value !== undefined && backups.length === 0 && (
        <p class="hint">There are none in this folder yet.</p>
      )}
    </section>
  );
}
