// A dialog for a new node, and for those that are made together with it in one transaction.

import { useState } from "preact/hooks";
import type { JsonObject } from "../../api/json.ts";
import type { ApiModel, Field, NodeType } from "../../model/api-model.ts";
import { type Draft, emptyDraft, inputOfDraft, type Problems, placesOf, problemsByField } from "../../nodes/drafts.ts";
import { NodeForm } from "../../nodes/node-form.tsx";
import { Dialog, FormEnd } from "../../parts/pieces.tsx";
import { useSubmit } from "../../parts/use-submit.ts";

export interface AddFormProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  /** The field through which it is added: the server sets its other side. */
  readonly by?: Field;
  /** Rejects with what is wrong. */
  readonly onAdd: (input: JsonObject) => Promise<void>;
  /** How many steps of a place in the arguments lead to the input: two in `["input", "0", "name"]`. */
  readonly inputDepth: number;
  readonly onClose: () => void;
}

export function AddForm({ model, type, by, onAdd, inputDepth, onClose }: AddFormProps) {
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [problems, setProblems] = useState<Problems>(new Map());
  const { submit, isBusy, problem } = useSubmit(async () => {
    const { value, problems: found } = inputOfDraft(type, draft, by);
    setProblems(found);
    if (found.size > 0) return;
    try {
      await onAdd(value);
    } catch (thrown) {
      const marked = problemsByField(thrown, { places: placesOf(type, draft, by), inputDepth });
      setProblems(marked);
      if (marked.size === 0) throw thrown;
      return;
    }
    onClose();
  });
  return (
    <Dialog title={`Add ${type.name}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <NodeForm model={model} type={type} draft={draft} onDraft={setDraft} problems={problems} {...(by && { by })} id="add" />
        <FormEnd problem={problem} submit="Add" submitClass="primary" isBusy={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
