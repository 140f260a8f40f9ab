// Where an export is written: into a file that somebody names, as it is read, or into a download when all of it is there.

/** Texts in their order. Nothing is left of it after `abort`. */
export interface Sink {
  readonly write: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly abort: () => Promise<void>;
}

interface SavePicker {
  readonly showSaveFilePicker?: (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;
}

/** With fewer nodes a download is as good, and asks nothing. */
const manyRows = 10_000;

/** Undefined: somebody closed the dialog of the browser. */
export async function sinkFor(name: string, type: string, rows: number | undefined): Promise<Sink | undefined> {
  const picker: typeof window & SavePicker = window;
  if (picker.showSaveFilePicker === undefined || (rows !== undefined && rows <= manyRows)) return downloadSink(name, type);
  try {
    return await fileSink(await picker.showSaveFilePicker({ suggestedName: name }));
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") return undefined;
    // A browser that may not write files downloads.
    if (thrown instanceof DOMException && thrown.name === "SecurityError") return downloadSink(name, type);
    throw thrown;
  }
}

/** The file has its name and content when it is closed. */
async function fileSink(handle: FileSystemFileHandle): Promise<Sink> {
  const file = await handle.createWritable();
  return { write: (text) => file.write(text), close: () => file.close(), abort: () => file.abort() };
}

/** A browser keeps large blobs outside the memory of the page. */
function downloadSink(name: string, type: string): Sink {
  let blob = new Blob([], { type });
  return {
    write: async (text) => {
      blob = new Blob([blob, text], { type });
    },
    close: async () => download(blob, name),
    abort: async () => {
      blob = new Blob([], { type });
    },
  };
}

function download(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
