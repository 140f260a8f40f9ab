// The keys that plain objects name: their own, and those of the nodes that they link to.

import type { Key, NodeType, Value } from "../../../core/plugin.ts";
import type { PlainType } from "../../../core/server.ts";
import { keyIn, notPlain, type PlainObject } from "./plain-objects.ts";

/** Keys of one type, by their text. */
export interface WantedKeys {
  readonly type: NodeType;
  readonly key: Key;
  readonly values: Map<string, Value>;
}

/** One for each type. @throws notPlain for a linked object that is more than its key, and for two keys of one type */
export function wantedKeys({ type }: PlainType, key: Key, objects: readonly PlainObject[]): Iterable<WantedKeys> {
  const own: WantedKeys = { type, key, values: new Map() };
  const wanted = new Map([[type.stored, own]]);
  for (const { fields, links } of objects) {
    const value = keyIn(fields, key);
    own.values.set(String(value), value);
    for (const { link, targets } of links) {
      const { target } = link;
      let ofType = wanted.get(target.type.stored);
      if (ofType === undefined) {
        ofType = { type: target.type, key: target.key, values: new Map() };
        wanted.set(target.type.stored, ofType);
      } else if (ofType.key.field !== target.key.field) throw notPlain;
      for (const each of targets) {
        if (!each.isBare) throw notPlain;
        ofType.values.set(String(each.key), each.key);
      }
    }
  }
  return wanted.values();
}
