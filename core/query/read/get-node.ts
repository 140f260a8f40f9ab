// `get<T>`: the one node that all given identifiers name.

import type { LinkField, NodeType } from "../../contracts/model.ts";
import { and, type Compare, none, type Predicate } from "../../contracts/predicate.ts";
import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { parseUid } from "../../ground/values/uid.ts";
import type { Uid, Value } from "../../ground/values/value.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import type { BoundLevel } from "../level/level.ts";
import { behindMask } from "../level/masks.ts";
import type { Rows } from "../level/rows.ts";
import type { Variables } from "../level/selection.ts";
import type { ReadContext, RootResult } from "../operation-context.ts";
import { operandOf } from "../plan/operands.ts";
import type { RootPlan } from "../plan/plan.ts";
import { listForItem, rewriteFailure, unparsableId } from "../write/error-messages.ts";
import { bindLevel } from "./bind.ts";
import { linkedToNamed, unmetScope } from "./named-node.ts";
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
  /** Links to objects that the arguments name: parts of keys. */
  readonly links: readonly NamedPartner[];
}

interface NamedPartner {
  readonly field: LinkField;
  /** As an input names it. */
  readonly given: unknown;
}

const noLinks: readonly NamedPartner[] = [];

/** Undefined when no argument names a node: the answer is null, without an error. */
function identityOf(root: RootPlan, node: NodeType, args: Variables, { deployment }: ReadContext): Identity | undefined {
  let uid: Uid | undefined;
  const keys: Compare[] = [];
  const links = node.scopedKeys.length === 0 ? noLinks : partnersIn(root, node, args);
  for (const [name, value] of Object.entries(args)) {
    const field = node.fields.get(name);
    if (field?.role === "id" || (!field && name === "id")) uid = uidArgument(root, String(value));
    if (field?.role !== "value") continue;
    keys.push({ kind: "compare", field: field.stored, op: "eq", operands: [operandOf(field, value as Value, deployment.hooks)] });
  }
  return uid === undefined && keys.length === 0 && links.length === 0 ? undefined : { uid, keys, links };
}

/** The linked objects among the arguments, which name a node whole: by its ID, a key, or all parts of a key within others. */
function partnersIn(root: RootPlan, node: NodeType, args: Variables): readonly NamedPartner[] {
  const unmet = unmetScope(node, args);
  if (unmet !== undefined) throw new QuernError("VALUE_INVALID", rewriteFailure(root.key, unmet), { locations: [root.location], path: [root.key] });
  return Object.entries(args).flatMap(([name, given]): readonly NamedPartner[] => {
    const field = node.fields.get(name);
    return field?.role === "link" ? [{ field, given }] : [];
  });
}

function uidArgument(root: RootPlan, text: string): Uid {
  const uid = parseUid(text);
  if (uid !== undefined) return uid;
  const reason = unparsableId(text, root.field);
  const compatible = rewriteFailure(root.key, reason);
  throw new QuernError("VALUE_INVALID", reason, { compatible, locations: [root.location], path: [root.key] });
}

/** A node that its id alone names is loaded without a search. */
function readIdentified(bound: BoundLevel, identity: Identity, context: ReadContext): Work<Rows> {
  const { uid, keys, links } = identity;
  if (links.length > 0) return readLinked(bound, identity, context);
  if (uid === 0) return findRows(bound.with({ where: none }), context);
  if (uid !== undefined && keys.length === 0 && bound.where.kind === "all" && bound.types.length > 0) {
    return loadRows(bound, [uid], context);
  }
  return findRows(bound.with({ where: and(...heldBy(bound, identity), bound.where), page: { first: 2 } }), context);
}

/** What the arguments themselves say of the node. */
function heldBy(bound: BoundLevel, { uid, keys }: Pick<Identity, "uid" | "keys">): readonly Predicate[] {
  const held = keys.map((key) => behindMask(key, key.field, bound.masks) ?? none);
  return uid === undefined ? held : [{ kind: "uids", uids: [uid] }, ...held];
}

function* readLinked(bound: BoundLevel, identity: Identity, context: ReadContext): Work<Rows> {
  if (identity.uid === 0) return yield* findRows(bound.with({ where: none }), context);
  const linked = yield* together(identity.links.map(({ field, given }) => linkedToNamed(field, given, { masks: bound.masks, context })));
  const where = and(...heldBy(bound, identity), ...linked, bound.where);
  return yield* findRows(bound.with({ where, page: { first: 2 } }), context);
}
