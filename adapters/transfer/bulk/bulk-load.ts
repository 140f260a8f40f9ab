// The links of plain objects that exist, for a load that writes them all at once.

import type { Link, NodeType, Snapshot, Uid, Value } from "../../../core/plugin.ts";
import type { PlainType } from "../../../core/server.ts";
import { onlyKey } from "./bulk-link.ts";
import { findKeys } from "./find-keys.ts";
import { keyIn, notPlain, type PlainObject } from "./plain-objects.ts";
import { type WantedKeys, wantedKeys } from "./wanted-keys.ts";

/** Nodes whose keys are kept: some 100 MB with long keys. */
const maxKnown = 500_000;

/** Nodes by their keys, as far as a load has asked for them. */
export class KnownNodes {
  readonly #types = new Map<string, Map<string, Uid>>();
  #count = 0;

  /** Forgets all when there are many. */
  bound(): void {
    if (this.#count <= maxKnown) return;
    this.#types.clear();
    this.#count = 0;
  }

  /** Looks up the nodes of `values` that are not known. */
  async learn({ type, key, values }: WantedKeys, snapshot: () => Snapshot): Promise<void> {
    const known = this.#of(type);
    const unknown = new Map([...values].filter(([text]) => !known.has(text)));
    if (unknown.size === 0) return;
    for (const [text, uid] of await findKeys(snapshot(), type, key, unknown)) {
      known.set(text, uid);
      this.#count++;
    }
  }

  /** @throws notPlain for a key that no node has */
  uidOf(type: NodeType, key: Value | undefined): Uid {
    const uid = this.#of(type).get(String(key));
    if (uid === undefined) throw notPlain;
    return uid;
  }

  #of({ stored }: NodeType): Map<string, Uid> {
    let known = this.#types.get(stored);
    if (known === undefined) {
      known = new Map();
      this.#types.set(stored, known);
    }
    return known;
  }
}

/**
 * The links that the objects state, which exist. Their other values are not looked at.
 *
 * @param snapshot called when keys must be looked up
 * @throws notPlain when an ordinary add must decide
 */
export async function plainLinks(type: PlainType, objects: readonly PlainObject[], nodes: KnownNodes, snapshot: () => Snapshot): Promise<Link[]> {
  const key = onlyKey(type, objects);
  nodes.bound();
  for (const wanted of wantedKeys(type, key, objects)) await nodes.learn(wanted, snapshot);
  const changes: Link[] = [];
  for (const { fields, links } of objects) {
    const from = nodes.uidOf(type.type, keyIn(fields, key));
    for (const { link, targets } of links) {
      // A link of a single end may displace another one.
      if (link.single) throw notPlain;
      const { type: target } = link.target;
      for (const each of targets) {
        const to = nodes.uidOf(target, each.key);
        changes.push({ kind: "link", end: link.field.stored, from, fromType: type.type.stored, to, toType: target.stored });
      }
    }
  }
  return changes;
}
