// The answer to a request that writes.

import { formatUid, type Uid } from "../../../core/plugin.ts";
import type { AnswerObject } from "../answer/node.ts";
import type { WriteAnswer } from "./run-write.ts";

export function dataOf({ queries, uids }: WriteAnswer): AnswerObject {
  return { code: "Success", message: "Done", queries, uids: uids && uidTexts(uids) };
}

function uidTexts(uids: ReadonlyMap<string, Uid>): Readonly<Record<string, string>> {
  return Object.fromEntries([...uids].map(([name, uid]) => [name, formatUid(uid)]));
}
