// Why a live query runs again, for administrators who look at it.

import type { TypeName, Uid } from "../ground/values/value.ts";
import type { TouchedNode } from "./touched-node.ts";

export type WakeCause =
  /** A commit changed a node that its answer depends on. */
  | {
      readonly kind: "node";
      readonly type: TypeName | undefined;
      readonly uid: Uid;
      readonly change: "created" | "changed" | "removed";
      /** Fields and links that changed, the first few. */
      readonly fields: readonly string[];
    }
  /** A commit changed so many nodes that its record names types only. */
  | { readonly kind: "type"; readonly type: TypeName }
  /** A commit came while the query ran, or anything may have changed: change records were lost, or the query reads what they do not cover. */
  | { readonly kind: "anything" };

export interface Wake {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly cause: WakeCause;
}

export const anything: WakeCause = Object.freeze({ kind: "anything" });

const maxFields = 5;

export function wokenBy({ uid, type, removed, createdAt, properties }: TouchedNode): WakeCause {
  const change = removed ? "removed" : createdAt === undefined ? "changed" : "created";
  const fields: string[] = [];
  for (const name of properties) if (fields.push(name) === maxFields) break;
  return { kind: "node", type, uid, change, fields };
}
