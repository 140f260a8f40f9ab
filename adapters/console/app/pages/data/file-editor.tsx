// Gives a node another file, or none.

import { useState } from "preact/hooks";
import { isObject, type JsonObject } from "../../api/json.ts";
import type { UploadedFile } from "../../api/server.ts";
import { setValue } from "../../model/changes.ts";
import { FileInput } from "../../nodes/file-input.tsx";
import { FormEnd } from "../../parts/pieces.tsx";
import { useAction } from "../../parts/use-submit.ts";
import type { Place } from "../../undo/edits.ts";

export interface FileEditorProps {
  readonly place: Place;
  readonly node: JsonObject;
  readonly onChanged: () => void;
  readonly onDone: () => void;
}

export function FileEditor({ place, node, onChanged, onDone }: FileEditorProps) {
  const { writing, type, key, field } = place;
  const [file, setFile] = useState<UploadedFile>();
  const { run, isBusy, problem } = useAction();
  const before = node[field.name];
  const isThere = isObject(before);
  // A file that is replaced is gone: there is nothing to take back.
  const save = (value: { readonly upload: string } | null) =>
    run(async () => {
      await setValue(writing, type, key, field, value && { upload: value.upload });
      onChanged();
      onDone();
    });
  const submit = (event: Event) => {
    event.preventDefault();
    if (file) void save({ upload: file.upload });
  };
  return (
    <form class="panel-edit" onSubmit={submit} onKeyDown={(event) => event.key === "Escape" && onDone()}>
      <FileInput label={field.name} bounds={field.file ?? {}} file={file} onFile={setFile} />
      {isThere && <p class="hint">The file that is there now will be gone; Undo does not bring it back.</p>}
      {isThere && !field.typeText.endsWith("!") && (
        <button type="button" class="danger" disabled={isBusy} onClick={() => void save(null)}>
          Remove the file
        </button>
      )}
      <FormEnd problem={problem} submit="Save" submitClass="primary" isBusy={isBusy || file === undefined} onCancel={onDone} />
    </form>
  );
}
