// What a use of `@search` asks for: the words of `by` in the order in which they are judged and name merged filters.

import { type DirectiveNode, Kind, print, type ValueNode } from "graphql";

export interface Words {
  /** Sorted; empty when the field's default is meant. */
  readonly words: readonly string[];
  /** `by` was given and is no list. */
  readonly malformed: boolean;
}

/**
 * @param isKey fields that are keys can always be found by equality: `hash` joins the words unless one of them compares already
 */
export function wordsOf(directive: DirectiveNode, isKey: boolean): Words {
  const by = directive.arguments?.find((argument) => argument.name.value === "by")?.value;
  if (by === undefined) return { words: [], malformed: false };
  if (by.kind !== Kind.LIST) return { words: [], malformed: true };
  const written = by.values.map(wordOf);
  const equality = written.length === 0 || written.some((word) => word === "hash" || word === "exact");
  return { words: [...written, ...(isKey && !equality ? ["hash"] : [])].sort(), malformed: false };
}

/** The name of a kind and its options: `hnsw(metric: cosine)`. */
export function splitOptions(word: string): { readonly name: string; readonly options: string | undefined } {
  const match = /^(\w+)\((.*)\)$/su.exec(word);
  return { name: match?.[1] ?? word, options: match?.[2] };
}

/** Words may be written quoted or bare. */
function wordOf(value: ValueNode): string {
  return value.kind === Kind.STRING || value.kind === Kind.ENUM ? value.value : print(value);
}
