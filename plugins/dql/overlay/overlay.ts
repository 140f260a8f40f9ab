// What differs from a snapshot of the store: nodes without a type, values and links that no field of a node's type shows, and what a transaction has written.

import type { FieldName, LayoutIndex, Stored, TypeName, Uid } from "../../../core/plugin.ts";
import { untypedName } from "../schema/catalog.ts";
import { LinkOverrides } from "./link-overrides.ts";

/** A node of which something differs, or may differ. */
export interface OverlayNode {
  readonly uid: Uid;
  /** Its type in the store; undefined: the store has no such node. */
  readonly native: TypeName | undefined;
  /** Its type here; undefined: it has none, and GraphQL does not see it. */
  type: TypeName | undefined;
  /** Other texts of `dgraph.type`: names that no object type of the schema has, and further types. */
  readonly names: Set<string>;
  /** Values that are not those of the store. Null: none. */
  readonly fields: Map<FieldName, Stored | null>;
}

export class Overlay {
  readonly nodes = new Map<Uid, OverlayNode>();
  readonly links: LinkOverrides;

  constructor({ edges }: Pick<LayoutIndex, "edges">) {
    this.links = new LinkOverrides(edges);
  }

  add(uid: Uid, native: TypeName | undefined): OverlayNode {
    const node: OverlayNode = { uid, native, type: native, names: new Set(), fields: new Map() };
    this.nodes.set(uid, node);
    return node;
  }
}

/** As the types of rows have it: the concrete type, or a name that no type has. */
export function shownType({ type, names }: Pick<OverlayNode, "type" | "names">): TypeName {
  return type ?? untypedName(names);
}

/** Whether there is such a node: it has a type, a value or a link. */
export function exists({ uid, type, names, fields }: OverlayNode, { links }: Overlay): boolean {
  if (type !== undefined || names.size > 0) return true;
  for (const value of fields.values()) if (value !== null) return true;
  return links.isLinked(uid);
}
