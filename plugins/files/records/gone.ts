// The outbox of removals: a commit says which bytes nothing refers to any more, and they are removed afterwards.

import type { Create, Uid } from "../../../core/plugin.ts";
import { goneFields, goneType } from "./layout.ts";

/** @param due when to remove them, in milliseconds since 1970 */
export function createGone(uid: Uid, key: string, due = 0): Create {
  return { kind: "create", uid, type: goneType, fields: { [goneFields.key]: key, [goneFields.due]: due, [goneFields.tries]: 0 } };
}
