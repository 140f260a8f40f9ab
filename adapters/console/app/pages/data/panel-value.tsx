// One value of a node, or its single link, in the panel: read, then edited.

import { useState } from "preact/hooks";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { LinkPicker } from "../../links/link-picker.tsx";
import type { Field, NodeType } from "../../model/api-model.ts";
import { isEditable } from "../../model/changes.ts";
import { makeableTargets, newReference, referenceTo, targetsOf } from "../../model/links.ts";
import { editable, localTime, parseValue, shown } from "../../model/values.ts";
import { useConsole } from "../../parts/console-context.ts";
import { MapPart } from "../../parts/map-part.tsx";
import { FormEnd } from "../../parts/pieces.tsx";
import { useFocusBack } from "../../parts/use-focus-back.ts";
import { useAction, useSubmit } from "../../parts/use-submit.ts";
import { ValueEditor } from "../../parts/value-editor.tsx";
import { editValue, type Place } from "../../undo/edits.ts";
import { AddForm } from "./add-form.tsx";
import { FileEditor } from "./file-editor.tsx";
import { FileView } from "./file-view.tsx";
import { LinkTo } from "./link-to.tsx";

export interface PanelValueProps {
  readonly place: Place;
  readonly node: JsonObject;
  readonly onChanged: () => void;
}

export function PanelValue(props: PanelValueProps) {
  const { place, node } = props;
  const { type, field } = place;
  const [isEditing, edit] = useState(false);
  const opener = useFocusBack({ isOpen: isEditing });
  const value = node[field.name];
  if (isEditing && field.kind === "link") return <LinkEditor {...props} onDone={() => edit(false)} />;
  if (isEditing && field.kind === "file") return <FileEditor {...props} onDone={() => edit(false)} />;
  if (isEditing) return <PanelEditor {...props} onDone={() => edit(false)} />;
  return (
    <>
      <ShownValue place={place} value={value} />
      {isEditable(type, field) && (
        <button type="button" ref={opener} class="plain edit-value" aria-label={`Edit ${field.name}`} onClick={() => edit(true)}>
          Edit
        </button>
      )}
    </>
  );
}

function ShownValue({ place: { model, field }, value }: Pick<PanelValueProps, "place"> & { readonly value: Json | undefined }) {
  if (field.kind === "link" && isObject(value)) return <LinkTo model={model} field={field} node={value} />;
  return field.kind === "file" && isObject(value) ? <FileView file={value} /> : <PanelText field={field} value={value} />;
}

function PanelText({ field, value }: { readonly field: Field; readonly value: Json | undefined }) {
  const text = shown(field, value);
  if (text === "") return <span class="nothing">{value === null || value === undefined ? "no value" : "empty"}</span>;
  return (
    <>
      <span class="text" dir="auto">
        {text}
        {field.named === "DateTime" && !field.isList && <small>{localTime(text)}</small>}
      </span>
      {field.kind === "geo" && <MapPart value={value} label={field.name} />}
    </>
  );
}

interface EditorProps extends PanelValueProps {
  readonly onDone: () => void;
}

function PanelEditor({ place, node, onChanged, onDone }: EditorProps) {
  const { undo } = useConsole();
  const { field } = place;
  const value = node[field.name];
  const [text, setText] = useState(editable(field, value));
  const { submit, isBusy, problem } = useSubmit(async () => {
    undo.note(await editValue(place, value, parseValue(field, text)));
    onChanged();
    onDone();
  });
  return (
    <form class="panel-edit" onSubmit={submit} onKeyDown={(event) => event.key === "Escape" && onDone()}>
      <ValueEditor field={field} text={text} onText={setText} label={field.name} focused lines="several" />
      <FormEnd problem={problem} submit="Save" submitClass="primary" isBusy={isBusy} onCancel={onDone} />
    </form>
  );
}

/** Another node, a new one, or none. */
function LinkEditor({ place, node, onChanged, onDone }: EditorProps) {
  const { undo } = useConsole();
  const { type, model, field } = place;
  const [making, make] = useState<NodeType>();
  const { run, isBusy, problem } = useAction();
  const before = node[field.name];
  const save = async (value: Json) => {
    undo.note(await editValue(place, before, value));
    onChanged();
    onDone();
  };
  const isRequired = field.typeText.endsWith("!");
  return (
    <div class="panel-edit">
      <LinkPicker
        types={targetsOf(model, field)}
        label={field.name}
        focused
        makeable={makeableTargets(model, field)}
        onMake={make}
        onPick={(picked) => run(() => save(referenceTo(type, field, picked)))}
        onClose={onDone}
      />
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <footer>
        {isObject(before) && !isRequired && (
          <button type="button" disabled={isBusy} onClick={() => run(() => save(null))}>
            Remove the link
          </button>
        )}
        <button type="button" class="plain" onClick={onDone}>
          Cancel
        </button>
      </footer>
      {making && (
        <AddForm
          model={model}
          type={making}
          by={field}
          // `input`, `set`, the field.
          inputDepth={3}
          onAdd={(input) => save(newReference(place, making, input))}
          onClose={() => make(undefined)}
        />
      )}
    </div>
  );
}
