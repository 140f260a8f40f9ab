// The line that says as which user the administrator acts, and ends it.

import { useEffect } from "preact/hooks";
import { at, parseJson, textOf } from "../api/json.ts";
import { administrator, type Identity, type Server } from "../api/server.ts";
import { useAction } from "./use-submit.ts";

export interface ActingBarProps {
  readonly identity: Identity;
  readonly server: Server;
  readonly onChange: (identity: Identity) => void;
}

export function ActingBar({ identity, server, onChange }: ActingBarProps) {
  const action = useAction();
  const acting = identity.kind === "client" ? identity.acting : undefined;
  const until = acting?.until;
  useEffect(() => {
    if (until === undefined) return;
    const timer = setTimeout(() => onChange(administrator), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until, onChange]);
  if (identity.kind !== "client" || acting === undefined) return null;
  const { headers } = identity;
  const end = () =>
    action.run(async () => {
      // What it answers takes the session out of this browser.
      await server.post("api/auth/sign-out", headers, acting.inBrowser ? "same-origin" : "omit");
      onChange(administrator);
    });
  const use = () =>
    action.run(async () => {
      await server.post("api/auth/act-as/cookie", headers, "same-origin");
      onChange({ kind: "client", headers, acting: { ...acting, inBrowser: true } });
    });
  return (
    <div class="acting" role="status">
      <p>
        You act as <b>{acting.email}</b> until {new Date(acting.until).toLocaleTimeString()}
        {acting.inBrowser && ", in every page of this server in this browser"}.
      </p>
      {action.problem !== "" && <p class="problem">{action.problem}</p>}
      {!acting.inBrowser && (
        <button type="button" disabled={action.isBusy} onClick={use} title="Pages of this server then act, too; who was signed in there no longer is">
          Use in this browser
        </button>
      )}
      <button type="button" disabled={action.isBusy} onClick={end}>
        End
      </button>
    </div>
  );
}

const keptName = "quern.acting";

/** The line stays over a reload, as the session does. */
export function keepActing(identity: Identity): void {
  const acting = identity.kind === "client" ? identity.acting : undefined;
  if (identity.kind !== "client" || acting === undefined) window.sessionStorage.removeItem(keptName);
  else window.sessionStorage.setItem(keptName, JSON.stringify({ ...acting, authorization: identity.headers.authorization }));
}

export function keptActing(): Identity {
  const text = window.sessionStorage.getItem(keptName);
  if (text === null) return administrator;
  const kept = parseJson(text);
  const until = Number(at(kept, "until"));
  const acting = { email: textOf(at(kept, "email")), until, inBrowser: at(kept, "inBrowser") === true };
  return until > Date.now() ? { kind: "client", headers: { authorization: textOf(at(kept, "authorization")) }, acting } : administrator;
}
