// One user: a new password, its sessions, whether it may sign in, and a way to act as it.

import { useState } from "preact/hooks";
import { useConsole } from "../../parts/console-context.ts";
import { Dialog, FormEnd, plural } from "../../parts/pieces.tsx";
import { useAction, useSubmit } from "../../parts/use-submit.ts";
import { type Account, actAs, setPassword, setState, signOut } from "./accounts.ts";
import type { UserDialogProps } from "./invite-dialog.tsx";
import { SessionList } from "./session-list.tsx";

export function AccountDialog({ account, onDone, onClose }: UserDialogProps & { readonly account: Account }) {
  const { server, become } = useConsole();
  const { email, state, sessions } = account;
  const [password, setText] = useState("");
  const change = useSubmit(async () => {
    await setPassword(server, email, password);
    onDone();
    onClose();
  });
  const action = useAction();
  const act = (work: () => Promise<void>) => () =>
    action.run(async () => {
      await work();
      onDone();
    });
  return (
    <Dialog title={email} onClose={onClose}>
      <form class="form" onSubmit={change.submit}>
        <p class="hint">
          {state}, {plural(sessions, "session")}
        </p>
        <div class="toolbar">
          <button type="button" disabled={action.isBusy || sessions === 0} onClick={act(() => signOut(server, email))}>
            End all sessions
          </button>
          <button type="button" disabled={action.isBusy} onClick={act(() => setState(server, email, state === "disabled" ? "enabled" : "disabled"))}>
            {state === "disabled" ? "Enable" : "Disable"}
          </button>
          <button
            type="button"
            disabled={action.isBusy || state === "disabled"}
            title="All pages then read and write as this user, for a quarter of an hour"
            onClick={() =>
              action.run(async () => {
                become(await actAs(server, email));
                onDone();
                onClose();
              })
            }
          >
            Act as this user
          </button>
        </div>
        <SessionList email={email} count={sessions} onDone={onDone} />
        <div class="form-field">
          <label htmlFor="account-password">New password</label>
          <input
            id="account-password"
            type="password"
            autocomplete="new-password"
            required
            value={password}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </div>
        <p class="hint">A new password ends all sessions, and so does Disable.</p>
        <FormEnd
          problem={change.problem || action.problem}
          submit="Set the password"
          submitClass="primary"
          isBusy={change.isBusy}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
