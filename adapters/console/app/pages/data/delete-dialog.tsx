// Asks before nodes are deleted, and says what Undo would not bring back.

import { useState } from "preact/hooks";
import { textOf } from "../../api/json.ts";
import type { ApiModel, NodeType } from "../../model/api-model.ts";
import type { NodeKey } from "../../model/nodes.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Dialog, FormEnd, number, plural } from "../../parts/pieces.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { deleteNodes, lossesOf, mostRestored } from "../../undo/deletion.ts";
import { assertConfirmed, TypedCount } from "./typed-count.tsx";

/** What somebody is about to delete. */
export interface ToDelete {
  readonly keys: readonly NodeKey[];
  readonly label: string;
}

export interface DeleteDialogProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly deleting: ToDelete;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeleteDialog({ model, type, deleting: { keys, label }, onClose, onDeleted }: DeleteDialogProps) {
  const { server, identity, undo } = useConsole();
  const [typed, setTyped] = useState("");
  const { submit, isBusy, problem } = useSubmit(async () => {
    assertConfirmed(keys.length, typed);
    const { count, change } = await deleteNodes({ writing: { server, identity }, model, type, keys, label });
    if (count === 0) throw new Error("Nothing was deleted: the nodes are gone, or this identity may not delete them.");
    if (change) undo.note(change);
    onDeleted();
    onClose();
  });
  const names = keys.map(({ value }) => textOf(value));
  return (
    <Dialog title={`Delete ${label}?`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>
          {plural(keys.length, `${type.name} node`)} and all links to {keys.length === 1 ? "it" : "them"} will be gone.
        </p>
        <p class="hint">
          {names.slice(0, 5).join(", ")}
          {names.length > 5 && ` and ${number(names.length - 5)} more`}
        </p>
        <p class="hint">{undoText(model, type, keys.length)}</p>
        <TypedCount count={keys.length} typed={typed} onType={setTyped} />
        <FormEnd problem={problem} submit="Delete" submitClass="danger" isBusy={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function undoText(model: ApiModel, type: NodeType, count: number): string {
  const losses = count > mostRestored ? undefined : lossesOf(model, type);
  if (losses === undefined) return "This cannot be undone.";
  const but = losses.length === 0 ? "" : `, but for ${losses.join(", ")}`;
  return `While this tab is open, Undo brings ${count === 1 ? "it" : "them"} back with all links${but}.`;
}
