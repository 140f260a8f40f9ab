// As whom an operation is tried: as the owner of a token with given claims, of a given token, or as nobody.

import { textOf } from "../../api/json.ts";
import { claimsOfToken, claimsText } from "../../model/claims.ts";
import { Tabs } from "../../parts/pieces.tsx";

export type WhoKind = "Claims" | "Token" | "Nobody";

export interface Who {
  readonly kind: WhoKind;
  /** A JSON object. */
  readonly claims: string;
  readonly token: string;
}

export interface WhoFormProps {
  readonly who: Who;
  /** Names the header of tokens. */
  readonly header: string;
  readonly onChange: (who: Who) => void;
}

export function WhoForm({ who, header, onChange }: WhoFormProps) {
  const pasted = claimsOfToken(who.token);
  return (
    <div class="who">
      <Tabs names={["Claims", "Token", "Nobody"]} chosen={who.kind} onChoose={(kind) => onChange({ ...who, kind })} label="As whom" />
      {who.kind === "Claims" && (
        <label>
          <span class="hint">The server signs a token with these claims, if the schema has a secret.</span>
          <textarea
            aria-label="Claims"
            rows={4}
            spellcheck={false}
            value={who.claims}
            onInput={(event) => onChange({ ...who, claims: event.currentTarget.value })}
          />
        </label>
      )}
      {who.kind === "Token" && (
        <label>
          <span class="hint">Sent in the header {header}.</span>
          <textarea
            aria-label="Token"
            rows={3}
            spellcheck={false}
            placeholder="eyJhbGciOi…"
            value={who.token}
            onInput={(event) => onChange({ ...who, token: event.currentTarget.value })}
          />
          {who.token.trim() !== "" &&
            (pasted === undefined ? (
              <span class="problem">This is no token: it has no three parts with claims between two dots.</span>
            ) : (
              <span class="hint">
                {expiryText(textOf(pasted.exp))} <code>{claimsText(pasted)}</code>
              </span>
            ))}
        </label>
      )}
      {who.kind === "Nobody" && <p class="hint">A client without a token.</p>}
    </div>
  );
}

function expiryText(seconds: string): string {
  const time = new Date(Number(seconds) * 1_000);
  if (seconds === "" || Number.isNaN(time.getTime())) return "It never expires.";
  return `${time.getTime() < Date.now() ? "Expired" : "Expires"} ${time.toLocaleString()}.`;
}
