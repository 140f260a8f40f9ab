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
import type { WriteRequest } from "../mutation/syntax.ts";
import type { WriteFacts } from "./facts.ts";
import { type Operation, predicateOf } from "./operations.ts";

type Name = FieldName | EndName;

/** The predicate that says of which type a node is. */
const typePredicate = "dgraph.type";

/**
 * Everything that the request names, also behind conditions that do not hold. What `* *` stands for is left out: it deletes what the client may write.
 *
 * @throws QuernError when the client may not write one of them
 */
export function checkNames({ mutations }: WriteRequest, facts: WriteFacts, permissions: Permissions | undefined): void {
  if (!permissions) return;
  const names = new Set<Name>();
  for (const { set, delete: deleted } of mutations) {
    for (const { predicate } of [...set, ...deleted]) if (predicate !== undefined) for (const name of writtenNames(predicate, facts)) names.add(name);
  }
  if (names.size > 0) permissions.checkWrites({ types: [], names: [...names] });
}

/** A link is written from both of its sides. */
function writtenNames(predicate: string, facts: WriteFacts): readonly Name[] {
  const written = predicateOf(predicate, "delete", facts);
  if (written.kind === "types") return [typePredicate];
  if (written.kind === "edge") return endNames(written.end, facts);
  return [predicate];
}

function endNames(end: EndName, { index }: WriteFacts): readonly Name[] {
  return [end, ...index.edges.opposite(end).map(({ name }) => name)].filter((name) => !name.startsWith("~"));
}

/** `* *` as what the client may write of it. */
export function permittedParts(operations: readonly Operation[], facts: WriteFacts, permissions: Permissions | undefined): readonly Operation[] {
  if (!permissions) return operations;
  const mayWrite = (names: readonly Name[]) => isPermitted(names, permissions);
  return operations.flatMap((operation): readonly Operation[] => {
    if (operation.kind !== "everything") return [operation];
    const { uid } = operation;
    const fields = [...facts.fields.keys()].filter((name) => mayWrite([name]));
    const ends = facts.ends.filter((end) => mayWrite(endNames(end, facts)));
    return [
      { kind: "clear", uid, fields },
      ...ends.map((end): Operation => ({ kind: "unlink", uid, end })),
      ...(mayWrite([typePredicate]) ? [{ kind: "untype", uid } satisfies Operation] : []),
    ];
  });
}

function isPermitted(names: readonly Name[], { checkWrites }: Permissions): boolean {
  try {
    checkWrites({ types: [], names });
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
