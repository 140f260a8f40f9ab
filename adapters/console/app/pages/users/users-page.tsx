// Users: who signs in, by what and when the last time, and what administrators do with them.

import { useState } from "preact/hooks";
import { useConsole } from "../../parts/console-context.ts";
import { agoText } from "../../parts/figures.tsx";
import { Empty, Failure, number } from "../../parts/pieces.tsx";
import { useRequest } from "../../parts/use-request.ts";
import { AccountDialog } from "./account-dialog.tsx";
import { type Account, listAccounts } from "./accounts.ts";
import { InviteDialog } from "./invite-dialog.tsx";

/** Shown at first, and with each further step. */
const step = 100;

type Open = { readonly kind: "invite" } | { readonly kind: "account"; readonly email: string };

export function UsersPage() {
  const { server } = useConsole();
  const [first, setFirst] = useState(step);
  const [open, setOpen] = useState<Open>();
  const { value: accounts, failure, again } = useRequest(() => listAccounts(server, first), [server, first]);
  const chosen = open?.kind === "account" ? accounts?.find(({ email }) => email === open.email) : undefined;
  const close = () => setOpen(undefined);
  return (
    <div class="server">
      <div class="toolbar">
        <h1>Users</h1>
        <span class="spring" />
        <button type="button" class="primary" onClick={() => setOpen({ kind: "invite" })}>
          Invite
        </button>
      </div>
      <Failure of={failure} again={again} />
      {accounts?.length === 0 && <Empty title="There are no users yet">They sign up by themselves, or get an invitation.</Empty>}
      {accounts !== undefined && accounts.length > 0 && <Accounts of={accounts} onOpen={(email) => setOpen({ kind: "account", email })} />}
      {accounts !== undefined && accounts.length >= first && (
        <button type="button" onClick={() => setFirst(first + step)}>
          Show more
        </button>
      )}
      {open?.kind === "invite" && <InviteDialog onDone={again} onClose={close} />}
      {chosen && <AccountDialog key={chosen.email} account={chosen} onDone={again} onClose={close} />}
    </div>
  );
}

interface AccountsProps {
  readonly of: readonly Account[];
  readonly onOpen: (email: string) => void;
}

/** Cells of cards are numbers elsewhere. */
const atTheLeft = { textAlign: "left" };

function Accounts({ of, onOpen }: AccountsProps) {
  return (
    <section class="card wide-table" aria-label="Users">
      <table>
        <thead>
          <tr>
            <th>E-mail</th>
            <th>Name</th>
            <th>State</th>
            <th>Signs in by</th>
            <th>Last sign-in</th>
            <th>Sessions</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ email, name, state, providers, signedInAt, sessions }) => (
            <tr key={email}>
              <th scope="row">
                <button type="button" class="plain" onClick={() => onOpen(email)}>
                  {email}
                </button>
              </th>
              <td style={atTheLeft}>{name}</td>
              <td style={atTheLeft}>{state}</td>
              <td style={atTheLeft}>{providers.map((each) => (each === "credential" ? "password" : each)).join(", ") || "nothing yet"}</td>
              <td style={atTheLeft} title={signedInAt}>
                {signedInAt === "" ? "never" : agoText(Date.parse(signedInAt))}
              </td>
              <td>{number(sessions)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
