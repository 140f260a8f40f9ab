// Reads the arguments of `@search`: the words of `by`, in the order in which they are validated and in which they name merged filters.

import { type DirectiveNode, Kind, print, type ValueNode } from "graphql";

export interface Words {
  /** Sorted. Empty: the default of the field's type. */
  readonly words: readonly string[];
  /** True: `by` is not a list. */
  readonly malformed: boolean;
}

/**
 * @param isKey true for a unique key, which always supports equality: `hash` is added unless another word supports it
 */
export function wordsOf(directive: DirectiveNode, { isKey }: { readonly isKey: boolean }): Words {
  const by = directive.arguments?.find((argument) => argument.name.value === "by")?.value;
  if (by === undefined) return { words: [], malformed: false };
  if (by.kind !== Kind.LIST) return { words: [], malformed: true };
  const written = by.values.map(wordOf);
  const equality = written.length === 0 || written.some((word) => word === "hash" || word === "exact");
  return { words: [...written, ...(isKey && !equality ? ["hash"] : [])].sort(), malformed: false };
}

/** The name of a kind and its options: `hnsw(metric: cosine)`. Without a closing bracket the options begin with the opening one. */
export function splitOptions(word: string): { readonly name: string; readonly options: string | undefined } {
  const match = /^(\w+) *(\(.*)$/su.exec(word);
  const [, name = word, options] = match ?? [];
  return { name, options: options?.endsWith(")") ? options.slice(1, -1) : options };
}

/** A word may be a string or an enum value. */
function wordOf(value: ValueNode): string {
  return value.kind === Kind.STRING || value.kind === Kind.ENUM ? value.value : print(value);
}
