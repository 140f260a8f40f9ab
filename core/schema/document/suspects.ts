// Which errors may follow from others: those in a part that is repaired, and those of parts that mention it.

import { type ASTNode, type DefinitionNode, Kind } from "graphql";
import type { Location, QuernError } from "../../ground/errors.ts";
import { addToGroup } from "../../ground/groups.ts";
import { namedType } from "./definitions.ts";
import { RelatedNames } from "./related-names.ts";
import { typeName } from "./repair.ts";
import { contains, type Path, pathAt, type SourcePlaces } from "./source-places.ts";
import type { Meant } from "./validate-common.ts";

/** How sure an error is: `"own"`: it follows from nothing else; `"doubtful"`: it may, and the probable repair shows whether; `"follows"`: leave it out. */
export type Standing = "own" | "doubtful" | "follows";

/** A repaired part of which later errors may be consequences. */
interface Suspect {
  /** A suggestion says what is meant. */
  readonly isMendable: boolean;
  /** The type of a field: other types may have a field of the same name. Undefined: the name alone is enough. */
  readonly owner: string | undefined;
}

const wordPattern = /[_A-Za-z]\w*/gu;

export class Suspects {
  readonly #places: SourcePlaces;
  /** By name of a type, a field or a value. */
  readonly #names = new Map<string, Suspect[]>();
  readonly #ranges: { readonly node: ASTNode; readonly suspect: Suspect }[] = [];
  #related: { readonly of: readonly DefinitionNode[]; readonly names: RelatedNames } | undefined;

  constructor(places: SourcePlaces) {
    this.#places = places;
  }

  /** Remembers a part that is taken out. @param meant what it is probably meant to be; undefined: nothing says */
  add(path: Path, meant: Meant | undefined): void {
    const [definition, part] = path;
    const last = path[path.length - 1] ?? definition;
    const type = typeName(definition);
    const field = part?.kind === Kind.FIELD_DEFINITION || part?.kind === Kind.INPUT_VALUE_DEFINITION ? part.name.value : undefined;
    const suspect = { isMendable: meant !== undefined, owner: field === undefined ? undefined : type };
    if (last.kind === Kind.DIRECTIVE || last.kind === Kind.NAMED_TYPE) this.#ranges.push({ node: path[path.length - 2] ?? definition, suspect });
    this.#name(field ?? type, suspect);
  }

  /** Remembers names in a line that is not read. */
  addWords(text: string): void {
    for (const word of new Set(wordsIn(text))) this.#name(word, { isMendable: false, owner: undefined });
  }

  #name(name: string | undefined, suspect: Suspect): void {
    if (name !== undefined) addToGroup(this.#names, name, suspect);
  }

  /** @param definitions the document in which the error was found */
  standing(error: QuernError, definitions: readonly DefinitionNode[]): Standing {
    if (this.#names.size === 0 || error.code !== "SCHEMA_INVALID") return "own";
    // It is about the whole schema, such as that nothing is left of it.
    if (placesOf(error).length === 0) return "follows";
    const touched = [...this.#around(error), ...this.#mentioned(error, definitions)];
    if (touched.length === 0) return "own";
    return touched.every(({ isMendable }) => isMendable) ? "doubtful" : "follows";
  }

  #around(error: QuernError): readonly Suspect[] {
    const offsets = placesOf(error).map((location) => this.#places.offset(location));
    return this.#ranges.filter(({ node }) => offsets.some((offset) => contains(node, offset))).map(({ suspect }) => suspect);
  }

  #mentioned(error: QuernError, definitions: readonly DefinitionNode[]): readonly Suspect[] {
    const found: Suspect[] = [];
    for (const location of placesOf(error)) {
      const path = pathAt(definitions, this.#places.offset(location));
      if (path === undefined) continue;
      const words = new Set([...wordsIn(this.#textOf(path)), ...wordsIn(typeOfField(path))]);
      found.push(...this.#named(words, { definitions, within: typeName(path[0]) }));
    }
    return found;
  }

  /** What a part says, without its own name. */
  #textOf(path: Path): string {
    const node = path[path.length - 1] ?? path[0];
    const begin = "name" in node && node.name?.kind === Kind.NAME ? node.name.loc?.end : node.loc?.start;
    return this.#places.text.slice(begin ?? 0, node.loc?.end ?? 0);
  }

  #named(words: ReadonlySet<string>, { definitions, within }: Place): readonly Suspect[] {
    return [...words].flatMap((word) =>
      (this.#names.get(word) ?? []).filter(({ owner }) => owner === undefined || this.#isAbout(owner, words, { definitions, within })),
    );
  }

  /** Whether a part that has these words can reach a field of the type. */
  #isAbout(owner: string, words: ReadonlySet<string>, { definitions, within }: Place): boolean {
    if (this.#related?.of !== definitions) this.#related = { of: definitions, names: new RelatedNames(definitions) };
    const { names } = this.#related;
    return (within !== undefined && names.family(owner).has(within)) || [...names.leadingTo(owner)].some((name) => words.has(name));
  }
}

/** Where an error is shown, or would be if clients did not expect it without a place. */
export function placesOf({ details: { place }, locations = [] }: QuernError): readonly Location[] {
  return locations.length === 0 && isLocation(place) ? [place] : locations;
}

export function isLocation(value: unknown): value is Location {
  return typeof value === "object" && value !== null && "line" in value && "column" in value;
}

interface Place {
  readonly definitions: readonly DefinitionNode[];
  /** The type in which the part is. */
  readonly within: string | undefined;
}

/** Names that the kernel makes of those of types and fields. */
const prefixes = ["query", "get", "aggregate", "add", "update", "delete"];
const suffix = "Aggregate";

/** The words of a text, and the names of which they are made. */
function wordsIn(text: string): readonly string[] {
  return [...text.matchAll(wordPattern)].flatMap(([word]) => [
    word,
    ...prefixes.filter((prefix) => word.startsWith(prefix)).map((prefix) => word.slice(prefix.length)),
    ...(word.endsWith(suffix) ? [word.slice(0, -suffix.length)] : []),
  ]);
}

/** A directive of a field says something about the type of the field too. */
function typeOfField([, part, directive]: Path): string {
  if (directive === undefined || part === undefined) return "";
  return part.kind === Kind.FIELD_DEFINITION || part.kind === Kind.INPUT_VALUE_DEFINITION ? namedType(part.type) : "";
}
