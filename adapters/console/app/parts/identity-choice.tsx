// As whom data are read and written: as an administrator, to whom no rules apply, or as a client with a token or without.

import { useState } from "preact/hooks";
import { administrator, type Identity } from "../api/server.ts";
import { authorizationIn } from "../model/authorization.ts";
import { Dialog } from "./pieces.tsx";

export interface IdentityChoiceProps {
  readonly identity: Identity;
  /** It names the header of tokens. */
  readonly schemaText: string;
  readonly onChange: (identity: Identity) => void;
}

export function IdentityChoice({ identity, schemaText, onChange }: IdentityChoiceProps) {
  const [isOpen, open] = useState(false);
  const label = labelOf(identity);
  return (
    <>
      <button
        type="button"
        class={`identity ${identity.kind}`}
        onClick={() => open(true)}
        aria-label={`As: ${label}`}
        title="As whom data are read and written"
      >
        <span aria-hidden="true" />
        {label}
      </button>
      {isOpen && (
        <IdentityDialog
          identity={identity}
          schemaText={schemaText}
          onChange={(next) => {
            onChange(next);
            open(false);
          }}
          onClose={() => open(false)}
        />
      )}
    </>
  );
}

function labelOf(identity: Identity): string {
  if (identity.kind === "administrator") return "Administrator";
  if (identity.acting) return identity.acting.email;
  return Object.keys(identity.headers).length === 0 ? "Anonymous" : "Token";
}

function IdentityDialog({ identity, schemaText, onChange, onClose }: IdentityChoiceProps & { readonly onClose: () => void }) {
  const [sent] = identity.kind === "client" && !identity.acting ? Object.entries(identity.headers) : [];
  const [header, setHeader] = useState(sent?.[0] ?? authorizationIn(schemaText)?.header ?? "Authorization");
  const [token, setToken] = useState(sent?.[1] ?? "");
  const isHeader = /^[\w!#$%&'*+.^`|~-]+$/.test(header);
  return (
    <Dialog title="Read and write data as" onClose={onClose}>
      <div class="form">
        <button type="button" class="choice" aria-pressed={identity.kind === "administrator"} onClick={() => onChange(administrator)}>
          <b>Administrator</b>
          <span>Access rules do not apply. All data are visible.</span>
        </button>
        <button
          type="button"
          class="choice"
          aria-pressed={identity.kind === "client" && !identity.acting && sent === undefined}
          onClick={() => onChange({ kind: "client", headers: {} })}
        >
          <b>Anonymous</b>
          <span>A client without a token.</span>
        </button>
        <form
          class="choice"
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ kind: "client", headers: { [header]: token.trim() } });
          }}
        >
          <b>A token</b>
          <span>What its owner may see and change.</span>
          <div class="pair">
            <input aria-label="Header" value={header} onInput={(event) => setHeader(event.currentTarget.value)} />
            <input aria-label="Token" value={token} placeholder="eyJhbGciOi…" onInput={(event) => setToken(event.currentTarget.value)} />
          </div>
          <button type="submit" class="primary" disabled={token.trim() === "" || !isHeader}>
            Use this token
          </button>
        </form>
      </div>
    </Dialog>
  );
}
