// Adds a user, who gets a mail to set a password.

import { useState } from "preact/hooks";
import { useConsole } from "../../parts/console-context.ts";
import { Dialog, FormEnd } from "../../parts/pieces.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { addAccount } from "./accounts.ts";

export interface UserDialogProps {
  /** Something has changed. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function InviteDialog({ onDone, onClose }: UserDialogProps) {
  const { server } = useConsole();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const { submit, isBusy, problem } = useSubmit(async () => {
    await addAccount(server, email.trim(), password);
    onDone();
    onClose();
  });
  return (
    <Dialog title="Invite a user" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="form-field">
          <label htmlFor="invite-email">E-mail</label>
          <input id="invite-email" type="email" required value={email} onInput={({ currentTarget }) => setEmail(currentTarget.value)} />
        </div>
        <div class="form-field">
          <label htmlFor="invite-password">Password, if it has one already</label>
          <input
            id="invite-password"
            type="password"
            autocomplete="new-password"
            value={password}
            onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        </div>
        <p class="hint">Without a password the user gets a mail with a link to set one. Other fields are set on the page Data.</p>
        <FormEnd problem={problem} submit="Invite" submitClass="primary" isBusy={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
