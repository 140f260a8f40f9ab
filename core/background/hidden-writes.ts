// Transactions that plugins run by themselves. A background task writes nodes of hidden types alone, since other writes would evade the hooks of other
// plugins. No change of a plugin reaches a storage that could not keep it.

import type { Change } from "../contracts/change.ts";
import type { Transaction } from "../contracts/storage/snapshot.ts";
import { PluginFault, type PluginPlace } from "../ground/plugin-fault.ts";
import { checkWrites } from "../mutation/checks/check-changes.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { TaskOptions } from "./options.ts";

export function hiddenWrites(transaction: Transaction, { plugin, task, deployment }: TaskOptions): Transaction {
  const place = { plugin, hook: `background task ${task.name}` };
  const declared = new Set([...deployment.model.nodeTypes.values()].map(({ stored }) => stored));
  return withCheck(transaction, (changes) => {
    for (const change of changes) assertHidden(change, declared, place);
    checkWrites(changes, place, deployment);
  });
}

/** A transaction of a plugin outside of any hook. Without a deployment there is nothing to check against. */
export function fittingWrites(transaction: Transaction, plugin: string, deployment: Deployment | undefined): Transaction {
  if (deployment === undefined) return transaction;
  return withCheck(transaction, (changes) => checkWrites(changes, { plugin, hook: "transact" }, deployment));
}

function assertHidden(change: Change, declared: ReadonlySet<string>, place: PluginPlace): void {
  const type = change.kind === "link" || change.kind === "unlink" ? change.fromType : change.type;
  if (declared.has(type)) throw new PluginFault(place, `it writes a node of ${type}, which is no hidden type. Use a mutation (execute).`);
}

function withCheck(transaction: Transaction, check: (changes: readonly Change[]) => void): Transaction {
  return {
    at: transaction.at,
    find: (request) => transaction.find(request),
    follow: (request) => transaction.follow(request),
    load: (request) => transaction.load(request),
    aggregate: (request) => transaction.aggregate(request),
    meta: (name) => transaction.meta(name),
    close: () => undefined,
    uids: (count) => transaction.uids(count),
    hold: (nodes) => transaction.hold(nodes),
    write: (changes) => {
      check(changes);
      return transaction.write(changes);
    },
    setMeta: (name, value) => transaction.setMeta(name, value),
  };
}
