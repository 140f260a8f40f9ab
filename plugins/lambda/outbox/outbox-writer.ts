// Writes the results of deliveries. Those that come while one commit is under way share the next one.

import type { BackgroundContext, Change, Uid } from "../../../core/plugin.ts";
import type { Blocked } from "./entries.ts";
import { entryFields, entryType } from "./layout.ts";

export class OutboxWriter {
  readonly #context: BackgroundContext;
  #pending: Change[] = [];
  #next: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(context: BackgroundContext) {
    this.#context = context;
  }

  remove(uid: Uid): Promise<void> {
    return this.#write([{ kind: "remove", uid, type: entryType }]);
  }

  retry(uid: Uid, { tries, due }: { readonly tries: number; readonly due: number }): Promise<void> {
    return this.#write([{ kind: "set", uid, type: entryType, fields: { [entryFields.tries]: tries, [entryFields.due]: due } }]);
  }

  postpone(blocked: readonly Blocked[]): Promise<void> {
    return this.#write(blocked.map(({ uid, due }) => ({ kind: "set", uid, type: entryType, fields: { [entryFields.due]: due } })));
  }

  /** Resolves when `changes` are durable. */
  #write(changes: readonly Change[]): Promise<void> {
    this.#pending.push(...changes);
    this.#next ??= this.#running.then(() => {
      const together = this.#pending;
      this.#pending = [];
      this.#next = undefined;
      const committed = this.#commit(together);
      this.#running = committed.catch(() => undefined);
      return committed;
    });
    return this.#next;
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    await this.#context.transact(async (transaction) => {
      // An entry is gone when all data were erased.
      const { uids } = await transaction.load({
        uids: changes.flatMap((change) => ("uid" in change ? [change.uid] : [])),
        types: [entryType],
        fields: [],
      });
      const present = new Set(uids);
      await transaction.write(changes.filter((change) => "uid" in change && present.has(change.uid)));
    });
  }
}
