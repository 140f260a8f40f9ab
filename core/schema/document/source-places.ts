// Positions in a schema text: from lines and columns to the parts of definitions that are there.

import type { ASTNode, ConstDirectiveNode, DefinitionNode } from "graphql";
import type { Location } from "../../ground/errors.ts";

/** From a definition down to one of its parts: a definition alone, with a field, member or directive of it, or with a directive of a field. */
export type Path = readonly [DefinitionNode, ...ASTNode[]];

/** Offsets of the lines of a text, as the parser counts lines. */
export class SourcePlaces {
  readonly text: string;
  readonly #lines: readonly number[];

  constructor(text: string) {
    this.text = text;
    this.#lines = [0, ...[...text.matchAll(/\r\n|\n|\r/gu)].map((end) => end.index + end[0].length)];
  }

  offset({ line, column }: Location): number {
    return (this.#lines[line - 1] ?? this.text.length) + column - 1;
  }
}

/** The path to the smallest part that contains `offset`. @param definitions in the order of the text */
export function pathAt(definitions: readonly DefinitionNode[], offset: number): Path | undefined {
  const definition = definitionAt(definitions, offset);
  if (definition === undefined) return undefined;
  const part = partsOf(definition).find((each) => contains(each, offset));
  if (part === undefined) return [definition];
  const directive = directivesOf(part).find((each) => contains(each, offset));
  return directive === undefined ? [definition, part] : [definition, part, directive];
}

function definitionAt(definitions: readonly DefinitionNode[], offset: number): DefinitionNode | undefined {
  let [low, high] = [0, definitions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((definitions[middle]?.loc?.end ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  const found = definitions[low];
  return found && contains(found, offset) ? found : undefined;
}

export function contains({ loc }: ASTNode, offset: number): boolean {
  return loc !== undefined && loc.start <= offset && offset <= loc.end;
}

/** Directives, fields, values, members, interfaces and root types of a definition. */
function partsOf(definition: DefinitionNode): readonly ASTNode[] {
  return [
    ...directivesOf(definition),
    ...("fields" in definition ? (definition.fields ?? []) : []),
    ...("values" in definition ? (definition.values ?? []) : []),
    ...("types" in definition ? (definition.types ?? []) : []),
    ...("interfaces" in definition ? (definition.interfaces ?? []) : []),
    ...("operationTypes" in definition ? (definition.operationTypes ?? []) : []),
  ];
}

function directivesOf(node: ASTNode): readonly ConstDirectiveNode[] {
  return "directives" in node ? ((node.directives ?? []) as readonly ConstDirectiveNode[]) : [];
}
