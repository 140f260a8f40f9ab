// A new type with what identifies its nodes.

import { useState } from "preact/hooks";
import { nameProblem, withType } from "../../model/type-edits.ts";
import type { WrittenType } from "../../model/written-types.ts";
import { Dialog, FormEnd } from "../../parts/pieces.tsx";
import { useSubmit } from "../../parts/use-submit.ts";

export interface TypeDialogProps {
  readonly text: string;
  readonly types: readonly WrittenType[];
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

export function TypeDialog({ text, types, onText, onClose }: TypeDialogProps) {
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const { submit, problem } = useSubmit(async () => {
    const wrong =
      nameProblem(
        name,
        types.map((type) => type.name),
      ) || (key === "" ? "" : nameProblem(key, []));
    if (wrong !== "") throw new Error(wrong);
    const named = { isList: false, isRequired: true };
    const own = key === "" ? { ...named, name: "id", named: "ID", directives: [] } : { ...named, name: key, named: "String", directives: ["@id"] };
    onText(withType(text, name, [own]));
    onClose();
  });
  return (
    <Dialog title="New type" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="form-field">
          <label htmlFor="type-name">Name</label>
          <input id="type-name" value={name} placeholder="Author" onInput={({ currentTarget }) => setName(currentTarget.value.trim())} />
        </div>
        <div class="form-field">
          <label htmlFor="type-key">
            Key <small>a text that names one node; empty: ids that Quern makes</small>
          </label>
          <input id="type-key" value={key} placeholder="email" onInput={({ currentTarget }) => setKey(currentTarget.value.trim())} />
        </div>
        <FormEnd problem={problem} submit="Add" submitClass="primary" onCancel={onClose} />
      </form>
    </Dialog>
  );
}
