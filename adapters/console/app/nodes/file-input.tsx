// Takes a file by drop or by the browser's picker, and sends it at once. What refuses it stands below.

import { useEffect, useRef, useState } from "preact/hooks";
import type { UploadedFile } from "../api/server.ts";
import type { FileBounds } from "../model/api-model.ts";
import { boundsText, fileName, fileProblem, sizeText } from "../model/files.ts";
import { useConsole } from "../parts/console-context.ts";
import { useAction } from "../parts/use-submit.ts";

export interface FileInputProps {
  readonly id?: string;
  readonly label: string;
  readonly bounds: FileBounds;
  /** What was sent, and is not yet a node's. */
  readonly file: UploadedFile | undefined;
  readonly onFile: (file: UploadedFile | undefined) => void;
}

export function FileInput({ id, label, bounds, file, onFile }: FileInputProps) {
  const { server, identity } = useConsole();
  const [isOver, setOver] = useState(false);
  const { run, isBusy, problem } = useAction();
  const picker = useRef<HTMLInputElement>(null);
  useEffect(keepPage, []);
  const take = (given: File | undefined) =>
    run(async () => {
      if (given === undefined) return;
      onFile(undefined);
      try {
        // Before its bytes are sent, and again: the server reads the type of an image from its bytes.
        assertFits({ type: given.type, bytes: given.size }, bounds);
        const sent = await server.upload(given, identity);
        assertFits(sent, bounds);
        onFile(sent);
      } finally {
        // The same file may be chosen again.
        if (picker.current) picker.current.value = "";
      }
    });
  return (
    <div class="file-input">
      {file && (
        <p class="linked">
          <span>
            {fileName({ ...file })} <small>{`${file.type}, ${sizeText(file.bytes)}`}</small>
          </span>
          <button type="button" class="plain" aria-label={`Remove ${fileName({ ...file })}`} onClick={() => onFile(undefined)}>
            ✕
          </button>
        </p>
      )}
      <fieldset
        class={`file-drop${isOver ? " over" : ""}`}
        data-drop={label}
        onDragEnter={() => setOver(true)}
        onDragOver={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          void take(event.dataTransfer?.files[0]);
        }}
      >
        <input
          ref={picker}
          type="file"
          aria-label={label}
          {...(id !== undefined && { id })}
          {...(bounds.types && { accept: bounds.types.join(",") })}
          disabled={isBusy}
          onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
        />
        <small>{isBusy ? "Sending…" : ["or drop it here", boundsText(bounds)].filter(Boolean).join("; ")}</small>
      </fieldset>
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function assertFits(facts: Parameters<typeof fileProblem>[0], bounds: FileBounds): void {
  const problem = fileProblem(facts, bounds);
  if (problem !== "") throw new Error(problem);
}

/** A browser leaves the page for a file that is dropped beside its place. */
function keepPage(): () => void {
  const stay = (event: Event) => event.preventDefault();
  for (const name of ["dragover", "drop"]) window.addEventListener(name, stay);
  return () => {
    for (const name of ["dragover", "drop"]) window.removeEventListener(name, stay);
  };
}
