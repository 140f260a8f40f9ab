// JSON with its parts in colours. A long one is plain: each part is an element of the page.

import type { ComponentChildren } from "preact";
import { ScrolledText } from "./scrolled.tsx";

const mostCharacters = 200_000;
const parts = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function JsonText({ text }: { readonly text: string }) {
  return <ScrolledText>{text.length > mostCharacters ? text : coloured(text)}</ScrolledText>;
}

function coloured(text: string): readonly ComponentChildren[] {
  const pieces: ComponentChildren[] = [];
  let from = 0;
  for (const { 0: whole, 1: quoted, 2: colon, 3: word, index } of text.matchAll(parts)) {
    pieces.push(text.slice(from, index), <span class={colon === undefined ? kindOf(quoted, word) : "key"}>{whole}</span>);
    from = index + whole.length;
  }
  return [...pieces, text.slice(from)];
}

function kindOf(quoted: string | undefined, word: string | undefined): string {
  if (quoted !== undefined) return "string";
  return word === undefined ? "number" : "word";
}
