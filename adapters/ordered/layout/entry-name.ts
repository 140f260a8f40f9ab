// What an entry of the store holds, in words for errors, by its key: the type and the node where the key names them.

import { formatUid } from "../../../core/storage.ts";
import { uidFromText } from "../keyspaces/keys.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import { columnChunk } from "../structures/column.ts";
import type { Catalog } from "./catalog.ts";
import type { LayoutRuntime } from "./layout-runtime.ts";

/** What the database knows of its structures. */
export interface Described {
  readonly catalog: Catalog;
  readonly schema: LayoutRuntime;
  /** Shows the type of a node. */
  readonly view: EntryView;
}

/** `the record of 0x2a, a Package`, `the index Package.section/hash`, `the links of 0x2a in Package.dependsOn` */
export function entryName(described: Described, key: string): string {
  const [, id, rest] = /^x([a-z0-9]+)\/(.*)$/s.exec(key) ?? [];
  if (id === undefined || rest === undefined) return `the entry ${JSON.stringify(key)}`;
  const { catalog } = described;
  const structure = uidFromText(id);
  if (structure === catalog.nodes) return nodeEntryName(described, rest);
  const index = nameOf(catalog.indexes, structure);
  if (index !== undefined) return `${partOfIndex(described, rest)} ${index}`;
  const uniqueKey = nameOf(catalog.keys, structure);
  if (uniqueKey !== undefined) return `the key ${uniqueKey}`;
  if (catalog.links[structure] !== undefined) return linksName(described, structure, rest);
  return `the entry ${JSON.stringify(key)}`;
}

function nameOf(built: Readonly<Record<string, { readonly id: number }>>, id: number): string | undefined {
  return Object.keys(built).find((name) => built[name]?.id === id);
}

function nodeEntryName(described: Described, rest: string): string {
  if (rest.startsWith("nr")) return `the record of ${nodeName(described, rest.slice(2))}`;
  if (rest === "ns") return "the description of all records";
  if (rest.startsWith("t")) return `the list of the types of ${nodesOfChunk(rest.slice(1))}`;
  const [typeText = ""] = rest.slice(2).split("\0");
  const type = described.schema.typeNames.get(uidFromText(typeText));
  return `the list of all nodes of type ${type ?? typeText}`;
}

function partOfIndex(described: Described, rest: string): string {
  if (rest.startsWith("v")) return `the values of ${nodesOfChunk(rest.slice(1))} in the index`;
  if (rest.startsWith("p") || rest.startsWith("l")) return `the vector of ${nodeName(described, rest.slice(1))} in the index`;
  return "the index";
}

function linksName(described: Described, store: number, rest: string): string {
  const ends = Object.entries(described.catalog.ends).filter(([, end]) => end.links === store);
  const [name = "a removed field"] = ends.find(([, end]) => String(end.side) === rest[0]) ?? ends[0] ?? [];
  const [uid = ""] = rest.slice(2).split("\0");
  return `the list of links of ${nodeName(described, uid)} in ${name}`;
}

function nodesOfChunk(text: string): string {
  const first = uidFromText(text) * columnChunk;
  return `the nodes ${formatUid(first)} to ${formatUid(first + columnChunk - 1)}`;
}

function nodeName(described: Described, text: string): string {
  const uid = uidFromText(text);
  const type = typeOf(described, uid);
  return type === undefined ? formatUid(uid) : `${formatUid(uid)}, a ${type}`;
}

/** Undefined where the list of types is damaged itself. */
function typeOf({ schema, view }: Described, uid: number): string | undefined {
  try {
    return schema.typeNames.get(schema.nodes.types.of(uid, view));
  } catch {
    return undefined;
  }
}
