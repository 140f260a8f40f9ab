// The outbox of removals: a commit says which bytes nothing refers to any more, and they are removed afterwards.

import type { Create, Uid } from "../../../core/plugin.ts";
import { goneFields, goneType } from "./layout.ts";

export function createGone(uid: Uid, key: string): Create {
  return { kind: "create", uid, type: goneType, fields: { [goneFields.key]: key, [goneFields.due]: 0, [goneFields.tries]: 0 } };
}
