// Changes apply in order, but only the result of a slice is written. A key value that is taken before its holder releases it is refused here: the
// database would not notice.

import type { Change, TypeName, Uid } from "../../../core/storage.ts";
import { keyTaken } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import { type KeyRuntime, keyPartsOf, keyTextOf, type LayoutRuntime } from "../layout/layout-runtime.ts";

interface Claim {
  readonly uid: Uid;
  readonly type: TypeName;
  readonly doc: Doc;
}

/** The keys of one slice. Unique indexes check nodes that the slice does not write. */
export class KeyOrder {
  readonly #keys: readonly KeyRuntime[];
  /** The node that took a value last, by key, then value. */
  readonly #claims = new Map<KeyRuntime, Map<string, Claim>>();

  constructor(schema: LayoutRuntime, changes: readonly Change[]) {
    const givesUp = changes.length > 1 && changes.some((change) => change.kind === "set" || change.kind === "remove");
    // Keys with ends are checked against the result of all changes.
    this.#keys = givesUp ? schema.keys.filter(({ ends }) => ends.length === 0) : [];
  }

  /** Errors: `KEY_TAKEN` when another node took the value before this node released it. */
  changes({ uid, type }: { readonly uid: Uid; readonly type: TypeName }, before: Doc | undefined, after: Doc | undefined): void {
    for (const key of this.#keys) {
      if (!key.types.has(type)) continue;
      const old = before && keyTextOf(key, type, before);
      const text = after && keyTextOf(key, type, after);
      if (old === text) continue;
      let claims = this.#claims.get(key);
      if (claims === undefined) {
        claims = new Map();
        this.#claims.set(key, claims);
      }
      const taker = old === undefined ? undefined : claims.get(old);
      if (taker !== undefined && taker.uid !== uid) throw tooEarly(key, taker, { uid, type });
      if (text !== undefined && after !== undefined) claims.set(text, { uid, type, doc: after });
    }
  }
}

function tooEarly(key: KeyRuntime, { uid, type, doc }: Claim, holder: { readonly uid: Uid; readonly type: TypeName }) {
  return keyTaken(key.layout, keyPartsOf(key, type, doc), { uid, holder: holder.uid, type: holder.type });
}
