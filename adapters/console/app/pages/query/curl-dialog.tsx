// The operation as a command, to read and to copy.

import { useState } from "preact/hooks";
import { curlCommand } from "../../model/curl.ts";
import { variablesIn } from "../../model/operations.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Dialog } from "../../parts/pieces.tsx";
import { ScrolledText } from "../../parts/scrolled.tsx";
import type { QueryDocument } from "./documents.ts";
import { withHeaders } from "./run-document.ts";

export interface CurlDialogProps {
  readonly document: QueryDocument;
  readonly onClose: () => void;
}

export function CurlDialog({ document, onClose }: CurlDialogProps) {
  const { identity } = useConsole();
  const [isCopied, setCopied] = useState(false);
  const { text, problem } = commandOf(document, identity);
  // Browsers give no clipboard to a page by plain HTTP from another machine.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  return (
    <Dialog title="The same by curl" onClose={onClose}>
      <div class="curl">
        {problem === "" ? <ScrolledText>{text}</ScrolledText> : <p class="problem">{problem}</p>}
        <p class="hint">
          {identity.kind === "administrator"
            ? "QUERN_ADMIN_TOKEN holds the admin token. No rule applies."
            : "It holds the headers of the client, its token included."}
        </p>
        {clipboard && problem === "" && (
          <button type="button" class="primary" onClick={() => clipboard.writeText(text).then(() => setCopied(true))}>
            {isCopied ? "Copied" : "Copy"}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function commandOf(
  document: QueryDocument,
  identity: ReturnType<typeof useConsole>["identity"],
): { readonly text: string; readonly problem: string } {
  try {
    const as = withHeaders(identity, document.headers);
    const base = location.href.replace(/[#?].*$/, "");
    return { text: curlCommand({ base, query: document.text, variables: variablesIn(document.variables), as }), problem: "" };
  } catch (thrown) {
    return { text: "", problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
