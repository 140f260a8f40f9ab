// Sets one field of all chosen nodes.

import { useState } from "preact/hooks";
import type { Json } from "../../api/json.ts";
import { LinkPicker } from "../../links/link-picker.tsx";
import type { ApiModel, NodeType } from "../../model/api-model.ts";
import { type LinkedNode, referenceTo, targetsOf } from "../../model/links.ts";
import type { NodeKey } from "../../model/nodes.ts";
import { parseValue } from "../../model/values.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Dialog, FormEnd, plural } from "../../parts/pieces.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { ValueEditor } from "../../parts/value-editor.tsx";
import { bulkFields, editNodes } from "../../undo/bulk-edit.ts";
import { assertConfirmed, TypedCount } from "./typed-count.tsx";

export interface BulkEditDialogProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly keys: readonly NodeKey[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function BulkEditDialog({ model, type, keys, onClose, onChanged }: BulkEditDialogProps) {
  const { server, identity, undo } = useConsole();
  const fields = bulkFields(model, type);
  const [name, choose] = useState(fields[0]?.name ?? "");
  const [text, setText] = useState("");
  const [node, pick] = useState<LinkedNode>();
  const [typed, setTyped] = useState("");
  const field = fields.find((each) => each.name === name);
  const { submit, isBusy, problem } = useSubmit(async () => {
    if (field === undefined) return;
    assertConfirmed(keys.length, typed);
    const value: Json = field.kind === "link" ? (node ? referenceTo(type, field, node) : null) : text === "" ? null : parseValue(field, text);
    undo.note(await editNodes({ writing: { server, identity }, model, type, field }, keys, value));
    onChanged();
    onClose();
  });
  return (
    <Dialog title={`Edit ${plural(keys.length, `${type.name} node`)}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="form-field">
          <label htmlFor="bulk-field">Field</label>
          <select
            id="bulk-field"
            value={name}
            onChange={({ currentTarget }) => {
              choose(currentTarget.value);
              setText("");
              pick(undefined);
            }}
          >
            {fields.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        </div>
        {field && (
          <div class="form-field">
            <label htmlFor="bulk-value">
              New value <small>empty: removes it</small>
            </label>
            {field.kind === "link" ? (
              <>
                {node && <p class="linked">{node.label}</p>}
                <LinkPicker id="bulk-value" types={targetsOf(model, field)} label="New value" makeable={[]} onMake={() => {}} onPick={pick} />
              </>
            ) : (
              <ValueEditor key={name} id="bulk-value" field={field} text={text} label="New value" lines="several" onText={setText} />
            )}
          </div>
        )}
        <TypedCount count={keys.length} typed={typed} onType={setTyped} />
        <FormEnd problem={problem} submit={`Set ${name}`} submitClass="primary" isBusy={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
