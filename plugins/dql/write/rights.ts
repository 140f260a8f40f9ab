// What a client may write: permissions on predicates, and rules on nodes.

import {
  type Change,
  type EndName,
  type FieldName,
  type NodeRef,
  type Permissions,
  type Purpose,
  QuernError,
  type Uid,
  type WriteTransaction,
} from "../../../core/plugin.ts";
import { filteredPredicates } from "../language/filtered-predicates.ts";
import type { WriteRequest } from "../mutation/syntax.ts";
import type { WriteFacts } from "./facts.ts";
import { type Operation, predicateOf, typePredicate } from "./operations.ts";

type Name = FieldName | EndName;

/**
 * Everything that the request names, also behind conditions that do not hold. What `* *` stands for is left out: it deletes what the client may write.
 *
 * @throws QuernError when the client may not write one of them
 */
export function checkNames({ mutations }: WriteRequest, facts: WriteFacts, permissions: Permissions | undefined): void {
  if (!permissions) return;
  const names = new Set<Name>();
  for (const { set, delete: deleted } of mutations) {
    for (const { predicate } of [...set, ...deleted]) if (predicate !== undefined) names.add(writtenName(predicate, facts));
  }
  if (names.size > 0) permissions.checkWrites({ types: [], names: [...names] });
}

/**
 * A filter that the client may not read would be passed by every node or by none, and the request would write something else than it says.
 *
 * @throws QuernError
 */
export function checkFilters({ query, mutations }: WriteRequest, permissions: Permissions | undefined): void {
  if (!permissions || !query || mutations.length === 0) return;
  const hidden = [...filteredPredicates(query)].filter((name) => !permissions.mayRead(name));
  if (hidden.length === 0) return;
  const list = hidden.sort().join(" ");
  throw new QuernError("FORBIDDEN", `The query filters by what you have no right to read: ${list}.`, {
    compatible: `rpc error: code = PermissionDenied desc = unauthorized to query following predicates: ${list} \n`,
  });
}

/** Whoever may write one side of a link may write it. */
function writtenName(predicate: string, facts: WriteFacts): Name {
  const written = predicateOf(predicate, "delete", facts);
  if (written.kind === "types") return typePredicate;
  return written.kind === "edge" ? written.end : predicate;
}

/** `* *` as what the client may write of it. */
export function permittedParts(operations: readonly Operation[], facts: WriteFacts, permissions: Permissions | undefined): readonly Operation[] {
  if (!permissions || !operations.some(({ kind }) => kind === "everything")) return operations;
  const names: readonly Name[] = [typePredicate, ...facts.fields.keys(), ...facts.ends];
  const only = new Set(names.filter((name) => isPermitted(name, permissions)));
  return operations.map((operation) => (operation.kind === "everything" ? { ...operation, only } : operation));
}

function isPermitted(name: Name, { checkWrites }: Permissions): boolean {
  try {
    checkWrites({ types: [], names: [name] });
    return true;
  } catch (thrown) {
    if (thrown instanceof QuernError) return false;
    throw thrown;
  }
}

/** Nodes by what the rules are asked about. */
interface Touched {
  readonly created: readonly NodeRef[];
  readonly changed: readonly NodeRef[];
  readonly removed: readonly NodeRef[];
}

export function touchedBy(changes: readonly Change[], facts: WriteFacts): Touched {
  const created = new Map<Uid, NodeRef>();
  const changed = new Map<Uid, NodeRef>();
  const removed = new Map<Uid, NodeRef>();
  const add = (map: Map<Uid, NodeRef>, uid: Uid, type: string) => {
    if (facts.isConcrete(type)) map.set(uid, { uid, type });
  };
  for (const change of changes) {
    if (change.kind === "create") add(created, change.uid, change.type);
    else if (change.kind === "remove") add(removed, change.uid, change.type);
    else if (change.kind === "set") add(changed, change.uid, change.type);
    else {
      add(changed, change.from, change.fromType);
      add(changed, change.to, change.toType);
    }
  }
  for (const uid of created.keys()) changed.delete(uid);
  return { created: [...created.values()], changed: [...changed.values()], removed: [...removed.values()] };
}

/** Before the write: nodes that are there. @throws QuernError when the rules keep one of them from the client */
export async function assertMayChange({ changed, removed }: Touched, tx: WriteTransaction): Promise<void> {
  await assertPermitted("choose", [...changed, ...removed], tx);
  await assertPermitted("update", changed, tx);
  await assertPermitted("delete", removed, tx);
}

/** After the write: nodes as they are now. */
export async function assertMayHold({ created, changed }: Touched, tx: WriteTransaction): Promise<void> {
  await assertPermitted("add", created, tx);
  await assertPermitted("updated", changed, tx);
}

async function assertPermitted(purpose: Purpose, nodes: readonly NodeRef[], tx: WriteTransaction): Promise<void> {
  if (nodes.length === 0) return;
  const permits = await tx.permits(purpose, nodes);
  if (nodes.every(({ uid }) => permits(uid))) return;
  throw unauthorized();
}

/** The same for nodes that are hidden and for those that are not there. */
export function unauthorized(): QuernError {
  return new QuernError("FORBIDDEN", "The rules do not let you write some of these nodes; nothing is written.", {
    compatible: "authorization failed",
  });
}

export function untyped(): QuernError {
  return new QuernError("FORBIDDEN", "Rules hold here, and judge nodes by their type: give each node the dgraph.type of a type of the schema.");
}
