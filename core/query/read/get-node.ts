// `get<T>`: the one node that all given identifiers name.

import type { NodeType } from "../../contracts/model.ts";
import { and, type Compare, none, type Predicate } from "../../contracts/predicate.ts";
import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { parseUid } from "../../ground/values/uid.ts";
import type { Uid, Value } from "../../ground/values/value.ts";
import { type Work, wait } from "../../ground/work.ts";
import type { BoundLevel } from "../level/level.ts";
import { behindMask } from "../level/masks.ts";
import type { Rows } from "../level/rows.ts";
import type { Variables } from "../level/selection.ts";
import type { ReadContext, RootResult } from "../operation-context.ts";
import { operandOf } from "../plan/operands.ts";
import type { RootPlan } from "../plan/plan.ts";
import { listForItem, rewriteFailure, unparsableId } from "../write/error-messages.ts";
import { bindLevel } from "./bind.ts";
import { findRows, loadRows } from "./read-level.ts";
import { completeRows, type NodeRoot, shapeFault } from "./root-parts.ts";

export function* getNode({ root, node, shape }: NodeRoot, context: ReadContext): Work<RootResult> {
  if (shape.kind !== "nodes") throw shapeFault(root);
  const args = root.arguments(context.variables);
  const identity = identityOf(root, node, args, context);
  if (!identity) return { json: "null", errors: [] };
  const binding = bindLevel(shape.level, { context, purpose: "query" });
  const bound = isPromise(binding) ? yield* wait(binding) : binding;
  const rows = yield* readIdentified(bound, identity, context);
  if (rows.batch.uids.length <= 1) return yield* completeRows(root, rows, { type: shape.type, context });
  return { json: "null", errors: [{ ...listForItem, locations: [root.location], path: [root.key] }] };
}

interface Identity {
  readonly uid: Uid | undefined;
  readonly keys: readonly Compare[];
}

/** Undefined when no argument names a node: the answer is null, without an error. */
function identityOf(root: RootPlan, node: NodeType, args: Variables, { deployment }: ReadContext): Identity | undefined {
  let uid: Uid | undefined;
  const keys: Compare[] = [];
  for (const [name, value] of Object.entries(args)) {
    const field = node.fields.get(name);
    if (field?.role === "id" || (!field && name === "id")) uid = uidArgument(root, String(value));
    if (field?.role !== "value") continue;
    keys.push({ kind: "compare", field: field.stored, op: "eq", operands: [operandOf(field, value as Value, deployment.hooks)] });
  }
  return uid === undefined && keys.length === 0 ? undefined : { uid, keys };
}

function uidArgument(root: RootPlan, text: string): Uid {
  const uid = parseUid(text);
  if (uid !== undefined) return uid;
  const reason = unparsableId(text, root.field);
  const compatible = rewriteFailure(root.key, reason);
  throw new QuernError("VALUE_INVALID", reason, { compatible, locations: [root.location], path: [root.key] });
}

/** A node that its id alone names is loaded without a search. */
function readIdentified(bound: BoundLevel, { uid, keys }: Identity, context: ReadContext): Work<Rows> {
  if (uid === 0) return findRows(bound.with({ where: none }), context);
  if (uid !== undefined && keys.length === 0 && bound.where.kind === "all" && bound.types.length > 0) {
    return loadRows(bound, [uid], context);
  }
  const held = keys.map((key) => behindMask(key, key.field, bound.masks) ?? none);
  const named: readonly Predicate[] = uid === undefined ? held : [{ kind: "uids", uids: [uid] }, ...held];
  return findRows(bound.with({ where: and(...named, bound.where), page: { first: 2 } }), context);
}
