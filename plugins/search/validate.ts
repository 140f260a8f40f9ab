// Validates one use of `@search`, with Dgraph's error texts.

import type { FieldDefinitionNode } from "graphql";
import { splitOptions, type Words } from "./arguments.ts";
import type { IndexKind } from "./ground/kind.ts";
import type { Registry } from "./registry.ts";

export interface SearchUse extends Words {
  /** Name of the type that declares the field. */
  readonly owner: string;
  readonly field: FieldDefinitionNode;
  /** The field's type without list and `!`; for an enum also `enum`. */
  readonly typeName: string;
  readonly isEnum: boolean;
  /** Name of the filter input that a kind gives this field; undefined when it gives none. */
  readonly inputOf: (kind: IndexKind) => string | undefined;
}

/** The message for the first error in `use`; undefined when it is valid. */
export function checkUse(use: SearchUse, registry: Registry): string | undefined {
  const at = `Type ${use.owner}; Field ${use.field.name.value}:`;
  if (use.malformed) return `${at} the @search directive requires a list argument, like @search(by: ["hash"])`;
  if (use.words.length === 0) {
    if (registry.defaultFor(fitName(use))) return undefined;
    return `${at} has the @search directive but fields of type ${use.typeName} can't have the @search directive.`;
  }
  const earlier: { readonly word: string; readonly kind: IndexKind }[] = [];
  for (const word of use.words) {
    const { name, options } = splitOptions(word);
    const kind = registry.get(name);
    if (!kind || (options !== undefined && !kind.problem)) return `${at} ${unknownWord(use, word, registry)}`;
    const problem = unfitWord(use, word, kind, registry) ?? ownProblem(use, word, options, kind) ?? clash(use, word, kind, earlier);
    if (problem !== undefined) return `${at} ${problem}`;
    earlier.push({ word, kind });
  }
  return undefined;
}

function unknownWord(use: SearchUse, word: string, registry: Registry): string {
  return `the argument to @search ${word} isn't valid.Fields of type ${use.typeName} ${hint(use, registry)}.`;
}

function unfitWord(use: SearchUse, word: string, kind: IndexKind, registry: Registry): string | undefined {
  if (kind.fits.includes(fitName(use))) return undefined;
  const start = `has the @search directive but the argument ${word} doesn't apply to field type ${use.typeName}`;
  if (use.isEnum) return `${start} which is an Enum. Enum only supports hash, exact, regexp and trigram`;
  const fits = word === kind.name ? kind.fits.filter((type) => type !== "enum").join(" or ") : "";
  return `${start}.  Search by ${word} applies to fields of type ${fits}. Fields of type ${use.typeName} ${hint(use, registry)}.`;
}

function ownProblem(use: SearchUse, word: string, options: string | undefined, kind: IndexKind): string | undefined {
  const problem = kind.problem?.({ text: word, options, field: use.field });
  return problem === undefined ? undefined : `has the @search directive but the argument ${problem}`;
}

function clash(
  use: SearchUse,
  word: string,
  kind: IndexKind,
  earlier: readonly { readonly word: string; readonly kind: IndexKind }[],
): string | undefined {
  const input = use.inputOf(kind);
  const same = earlier.find((other) => other.kind === kind || (input !== undefined && use.inputOf(other.kind) === input));
  if (same && (use.typeName === "String" || use.isEnum))
    return `the argument to @search '${word}' is the same as the index '${same.word}' provided before and shouldn't be used together`;
  if (same) return `has the search directive on ${use.typeName}. ${use.typeName} allows only one argument for @search.`;
  const rival = earlier.find((other) => excludes(kind, other.kind) || excludes(other.kind, kind));
  return rival && `the arguments '${word}' and '${rival.word}' can't be used together as arguments to @search.`;
}

function excludes(kind: IndexKind, other: IndexKind): boolean {
  return kind.excludes?.includes(other.name) ?? false;
}

/** The valid words. */
function hint(use: SearchUse, registry: Registry): string {
  const names = registry.fitting(fitName(use)).map((kind) => kind.name);
  if (use.isEnum || names.length === 1) return "are searchable by just @search";
  if (names.length === 0) return "can't have the @search directive";
  return `can have @search by ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function fitName(use: SearchUse): string {
  return use.isEnum ? "enum" : use.typeName;
}
