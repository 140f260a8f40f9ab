// A transaction of a background task: it writes nodes of hidden types alone, since other writes would evade the hooks of other plugins.

import type { Change } from "../contracts/change.ts";
import type { Transaction } from "../contracts/storage/snapshot.ts";
import { PluginFault } from "../ground/plugin-fault.ts";
import type { TaskOptions } from "./options.ts";

export function hiddenWrites(transaction: Transaction, { plugin, task, deployment }: TaskOptions): Transaction {
  const place = { plugin, hook: `background task ${task.name}` };
  const declared = new Set([...deployment.model.nodeTypes.values()].map(({ stored }) => stored));
  const check = (change: Change): void => {
    const type = change.kind === "link" || change.kind === "unlink" ? change.fromType : change.type;
    if (declared.has(type)) throw new PluginFault(place, `it writes a node of ${type}, which is no hidden type. Use a mutation (execute).`);
  };
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
      for (const change of changes) check(change);
      return transaction.write(changes);
    },
    setMeta: (name, value) => transaction.setMeta(name, value),
  };
}
