// Why a live query runs again, for administrators who look at it.

import type { WakeCause } from "../../../../core/plugin.ts";
import type { TouchedNode } from "../commits/touched-node.ts";

export const anything: WakeCause = Object.freeze({ kind: "anything" });

const maxFields = 5;

export function wokenBy({ uid, type, removed, createdAt, properties }: TouchedNode): WakeCause {
  const change = removed ? "removed" : createdAt === undefined ? "changed" : "created";
  const fields: string[] = [];
  for (const name of properties) if (fields.push(name) === maxFields) break;
  return { kind: "node", type, uid, change, fields };
}
