// The types of a schema text as a graph: boxes for types, lines for links, interfaces and unions.

import type { WrittenField, WrittenType } from "./written-types.ts";

export interface GraphNode {
  readonly name: string;
  readonly title: string;
  /** The first fields, one a line. */
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `Boat.harbour, Harbour.boats` */
  readonly label: string;
  readonly kind: "link" | "implements";
  /** Links lead both ways. */
  readonly isMutual: boolean;
}

export interface TypeGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** With more types, a box has the name of its type alone: nobody reads a thousand fields at once. */
const maxDetailed = 40;
const maxLines = 8;
const letter = 7.2;
export const lineHeight = 18;
export const headHeight = 28;

/** @param unions the members of each union, by its name */
export function typeGraph(types: readonly WrittenType[], unions: ReadonlyMap<string, readonly string[]> = new Map()): TypeGraph {
  return { nodes: types.map((type) => nodeOf(type, { isDetailed: types.length <= maxDetailed })), edges: edgesOf(types, unions) };
}

function nodeOf(type: WrittenType, { isDetailed }: { readonly isDetailed: boolean }): GraphNode {
  const title = type.isInterface ? `${type.name} (interface)` : type.name;
  const lines = isDetailed ? linesOf(type.fields) : [];
  const longest = Math.max(title.length * 1.1, ...lines.map((line) => line.length));
  const height = headHeight + (lines.length === 0 ? 0 : lines.length * lineHeight + 6);
  return { name: type.name, title, lines, width: Math.ceil(longest * letter) + 24, height };
}

function linesOf(fields: readonly WrittenField[]): readonly string[] {
  const shown = fields.length > maxLines ? fields.slice(0, maxLines - 1) : fields;
  const lines = shown.map(({ name, typeText }) => shortened(`${name}: ${typeText}`));
  return shown.length === fields.length ? lines : [...lines, `${fields.length - shown.length} more`];
}

function shortened(text: string): string {
  return text.length > 32 ? `${text.slice(0, 31)}…` : text;
}

/** One line for all links between two types. */
function edgesOf(types: readonly WrittenType[], unions: ReadonlyMap<string, readonly string[]>): readonly GraphEdge[] {
  const names = new Set(types.map(({ name }) => name));
  const edges = new Map<string, GraphEdge>();
  const add = (edge: GraphEdge) => {
    if (!names.has(edge.to)) return;
    const key = `${edge.kind} ${[edge.from, edge.to].sort().join(" ")}`;
    const known = edges.get(key);
    edges.set(key, known === undefined ? edge : joined(known, edge));
  };
  for (const type of types) {
    for (const to of type.interfaces) add({ from: type.name, to, label: `${type.name} implements ${to}`, kind: "implements", isMutual: false });
    for (const { name, named } of type.fields) {
      for (const to of unions.get(named) ?? [named]) {
        add({ from: type.name, to, label: `${type.name}.${name}`, kind: "link", isMutual: false });
      }
    }
  }
  return [...edges.values()];
}

function joined(known: GraphEdge, { from, label }: GraphEdge): GraphEdge {
  return { ...known, label: `${known.label}, ${label}`, isMutual: known.isMutual || known.from !== from };
}

/** What a screen reader says about the links of a type. */
export function linksText(name: string, edges: readonly GraphEdge[]): string {
  const own = edges.filter(({ from, to }) => from === name || to === name);
  return own.length === 0 ? "no links" : own.map(({ label }) => label).join(", ");
}
