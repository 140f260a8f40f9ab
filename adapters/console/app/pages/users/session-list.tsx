// The sessions of one user, those in which an administrator acts with its name.

import { useConsole } from "../../parts/console-context.ts";
import { agoText } from "../../parts/figures.tsx";
import { Failure } from "../../parts/pieces.tsx";
import { useRequest } from "../../parts/use-request.ts";
import { useAction } from "../../parts/use-submit.ts";
import { type AccountSession, endSession, listSessions } from "./accounts.ts";

export interface SessionListProps {
  readonly email: string;
  /** The list is read again when it changes. */
  readonly count: number;
  readonly onDone: () => void;
}

export function SessionList({ email, count, onDone }: SessionListProps) {
  const { server } = useConsole();
  const { value: sessions = [], failure, again } = useRequest(() => listSessions(server, email), [server, email], [count]);
  const action = useAction();
  const end = (id: string) => () =>
    action.run(async () => {
      await endSession(server, email, id);
      onDone();
    });
  return (
    <>
      <Failure of={failure} again={again} />
      {action.problem !== "" && (
        <p class="problem" role="alert">
          {action.problem}
        </p>
      )}
      {sessions.length > 0 && (
        <ul class="sessions" aria-label="Sessions">
          {sessions.map((session) => (
            <li key={session.id}>
              <span title={session.userAgent}>{sessionText(session)}</span>
              <button type="button" disabled={action.isBusy} onClick={end(session.id)}>
                End
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function sessionText({ createdAt, from, actedBy, expiresAt }: AccountSession): string {
  const begun = `begun ${agoText(Date.parse(createdAt))}${from === "" ? "" : ` from ${from}`}`;
  return actedBy === "" ? begun : `Acted by ${actedBy}, ${begun}, until ${new Date(expiresAt).toLocaleTimeString()}`;
}
