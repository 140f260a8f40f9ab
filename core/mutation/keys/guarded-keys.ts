// Whether an add may leave it to the storage to refuse keys that are taken, which saves a round trip where the storage is a server.

import type { Key } from "../../contracts/model.ts";
import { isMasking } from "../../query/access/mask.ts";
import { scopedKeyName } from "../../schema/layout/scoped-key-layout.ts";
import { hasRules } from "../access/authorize.ts";
import type { Mutation } from "../context/mutation.ts";
import type { InputTree } from "../input/input-tree.ts";
import { keyScope } from "./look-up.ts";
import { isScoped } from "./scoped-keys.ts";

/**
 * Whether the storage itself guards the keys of all objects that `tree` adds, and their look-up would be a round trip of its own: nothing else is looked
 * up. Where a rule may hide the holder of a key, the keys are looked up first.
 */
export function storageGuardsKeys(mutation: Mutation, { roots, nodes }: InputTree): boolean {
  const { storage, deployment } = mutation.context;
  if (storage.supports.remote !== true || mutation.together || hasRules(mutation) || isMasking(deployment)) return false;
  if (nodes.some(({ role, keys, reference }) => role !== "add" && (keys.length > 0 || reference !== undefined))) return false;
  const keys = roots.flatMap((root) => root.keys.map(({ key }) => key));
  return keys.length > 0 && [...new Set(keys)].every((key) => isOfLayout(key, mutation));
}

function isOfLayout(key: Key, { context, type }: Mutation): boolean {
  const scope = keyScope(type, { key });
  const { layout } = context.deployment;
  if (isScoped(key)) return layout.keys.some(({ name }) => name === scopedKeyName(type, key));
  return layout.keys.some(
    ({ fields, types }) => fields.length === 1 && fields[0] === key.field.stored && scope.every(({ stored }) => types.includes(stored)),
  );
}
