// Rules of access for a type, from templates.

import { useState } from "preact/hooks";
import { type AccessTemplate, nameProblem, withAccess } from "../../model/type-edits.ts";
import type { WrittenType } from "../../model/written-types.ts";
import { Dialog, FormEnd } from "../../parts/pieces.tsx";
import { useSubmit } from "../../parts/use-submit.ts";

export interface AccessDialogProps {
  readonly text: string;
  readonly type: WrittenType;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

const kinds: Readonly<Record<AccessTemplate["kind"], string>> = {
  owner: "Each node is for its owner alone",
  role: "Everything is for one role",
  "public to read": "Everybody reads, one role writes",
};

export function AccessDialog({ text, type, onText, onClose }: AccessDialogProps) {
  const owners = type.fields.filter(({ typeText }) => typeText.replace("!", "") === "String");
  const [kind, choose] = useState<AccessTemplate["kind"]>(owners.length > 0 ? "owner" : "role");
  const [field, setField] = useState(owners[0]?.name ?? "");
  const [claim, setClaim] = useState("");
  const [role, setRole] = useState("ADMIN");
  const named = claim === "" ? (kind === "owner" ? "USER" : "ROLE") : claim;
  const { submit, problem } = useSubmit(async () => {
    const wrong = nameProblem(named, []);
    if (wrong !== "") throw new Error(wrong);
    if (kind !== "owner" && role === "") throw new Error("A role is missing.");
    onText(withAccess(text, type.name, kind === "owner" ? { kind, field, claim: named } : { kind, claim: named, role }));
    onClose();
  });
  return (
    <Dialog title={`Access to ${type.name}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="form-field">
          <label htmlFor="access-kind">Who</label>
          <select id="access-kind" value={kind} onChange={({ currentTarget }) => choose(kindIn(currentTarget.value))}>
            {Object.entries(kinds).map(([name, label]) => (
              <option key={name} value={name} disabled={name === "owner" && owners.length === 0}>
                {label}
              </option>
            ))}
          </select>
        </div>
        {kind === "owner" && (
          <div class="form-field">
            <label htmlFor="access-field">Field with the owner</label>
            <select id="access-field" value={field} onChange={({ currentTarget }) => setField(currentTarget.value)}>
              {owners.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
        )}
        <div class="form-field">
          <label htmlFor="access-claim">Claim of the token</label>
          <input id="access-claim" value={claim} placeholder={named} onInput={({ currentTarget }) => setClaim(currentTarget.value.trim())} />
        </div>
        {kind !== "owner" && (
          <div class="form-field">
            <label htmlFor="access-role">Role</label>
            <input id="access-role" value={role} onInput={({ currentTarget }) => setRole(currentTarget.value)} />
          </div>
        )}
        <p class="hint">Try what it does on the page Rules after the deploy. Whose tokens count says the line Service.Authorization of the schema.</p>
        <FormEnd problem={problem} submit="Write the rules" submitClass="primary" onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function kindIn(text: string): AccessTemplate["kind"] {
  return text === "owner" || text === "public to read" ? text : "role";
}
