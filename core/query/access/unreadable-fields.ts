// Fields that the caller may not read of any node, by the `permissions` hooks.

import type { FieldLayout } from "../../contracts/layout.ts";
import type { NodeType } from "../../contracts/model.ts";
import type { Permissions } from "../../contracts/plugin/permissions.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import type { EndName, FieldName } from "../../ground/values/value.ts";
import type { Mask, Masks } from "../level/masks.ts";
import type { AccessContext } from "../operation-context.ts";

const ignored: Mask = Object.freeze<Mask>({ visible: { kind: "none" }, shows: "null", unreadable: "ignored" });
const unmet: Mask = Object.freeze<Mask>({ visible: { kind: "none" }, shows: "null", unreadable: "unmet" });

/** Rules do not depend on what the caller may read. A node cannot be named by a key that its caller may not read. */
const masksByPurpose: Readonly<Partial<Record<Purpose, Mask>>> = {
  query: ignored,
  password: ignored,
  update: unmet,
  delete: unmet,
  reference: unmet,
};

const known = new WeakMap<Permissions, Map<NodeType, readonly (FieldName | EndName)[]>>();

/** Undefined: the caller may read all fields of `types`, object types. */
export function unreadableFields(
  types: readonly NodeType[],
  purpose: Purpose,
  { permissions, deployment }: Pick<AccessContext, "permissions" | "deployment">,
): Masks | undefined {
  const mask = masksByPurpose[purpose];
  if (!permissions || !mask) return undefined;
  const names = types.flatMap((type) => unreadableOf(type, permissions, deployment.layout?.fields ?? []));
  return names.length === 0 ? undefined : new Map(names.map((name) => [name, mask]));
}

function unreadableOf(type: NodeType, permissions: Permissions, layout: readonly FieldLayout[]): readonly (FieldName | EndName)[] {
  const byType = known.get(permissions) ?? new Map<NodeType, readonly (FieldName | EndName)[]>();
  known.set(permissions, byType);
  const found = byType.get(type) ?? findUnreadable(type, permissions, layout);
  byType.set(type, found);
  return found;
}

/** A value that is derived from unreadable ones would show them. */
function findUnreadable(type: NodeType, { mayRead }: Permissions, layout: readonly FieldLayout[]): readonly (FieldName | EndName)[] {
  const stored = [...type.fields.values()].flatMap((field) => (field.role === "value" || field.role === "link" ? [field.stored] : []));
  const own = new Set(stored.filter((name) => !mayRead(name)));
  const derived = layout.filter(({ derived: from }) => from?.from.some((source) => own.has(source))).map(({ name }) => name);
  return [...own, ...derived];
}
