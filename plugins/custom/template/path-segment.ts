// A value as a segment of a path, which must stay one segment.

import { RemoteFailure } from "../../remote/index.ts";
import { pathText } from "./value-text.ts";

/** @throws RemoteFailure for a value with which another path would be asked; the message does not show it */
export function pathSegment(name: string, value: unknown): string {
  const text = pathText(value);
  if (!staysOneSegment(text)) throw new RemoteFailure(`the value of $${name} would change the path of the URL`);
  return encodeURIComponent(text);
}

/** Servers and proxies resolve `.` and `..` and merge empty segments: some after they have decoded, some read `\\` as `/`, some cut at `;`. */
function staysOneSegment(text: string): boolean {
  return decodings(text).every((each) =>
    each.split(/[/\\]/u).every((part) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: some parsers of URLs drop them
      const [kept = ""] = part.replace(/[\u0000-\u0020]/gu, "").split(";");
      return !["", ".", ".."].includes(kept);
    }),
  );
}

/** Who decodes twice sees what was encoded twice. */
const rounds = 3;

function decodings(text: string): readonly string[] {
  const found = [text];
  for (let last = text; found.length <= rounds; found.push(last))
    last = last.replace(/%([0-9a-f]{2})/giu, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return found;
}
