// Transactions that run side by side and are judged when they commit, as most databases have them, over a good storage that runs one after another: a
// transaction is tried and rolled back, and what it wanted to write is written later, if what it stands on is as it was.

import { inspect } from "node:util";
import type {
  Change,
  Committed,
  Json,
  Layout,
  MaybePromise,
  NodeRef,
  ReadOptions,
  Snapshot,
  Storage,
  Transaction,
  Uid,
} from "../../../core/storage.ts";
import { changed, goodStorage } from "./faults.ts";

/** The nodes whose change since they were read or written ends a commit. */
export type Protects = "written" | "written and held";

interface Draft<T> {
  readonly result: T;
  readonly changes: readonly Change[];
  readonly names: readonly (readonly [string, Json])[];
  /** What the transaction stands on, and how that looked. */
  readonly states: ReadonlyMap<Uid, readonly [node: NodeRef, state: string]>;
}

class RolledBack extends Error {}
class Lost extends Error {}

const attempts = 50;

export function optimisticStorage({ protects }: { readonly protects: Protects }): Storage {
  const good = goodStorage();
  let layout: Layout | undefined;
  const commits = new Commits(good, protects, () => layout);
  return changed(good, {
    transact: (work, options) => commits.transact(work, options),
    migrate: (next, document, options) => {
      layout = next;
      return good.migrate(next, document, options);
    },
  });
}

class Commits {
  readonly #good: Storage;
  readonly #protects: Protects;
  readonly #layout: () => Layout | undefined;

  constructor(good: Storage, protects: Protects, layout: () => Layout | undefined) {
    this.#good = good;
    this.#protects = protects;
    this.#layout = layout;
  }

  async transact<T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions): Promise<Committed<T>> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const draft = await this.#draft(work, options);
      try {
        return await this.#good.transact((transaction) => this.#apply(draft, transaction), options);
      } catch (thrown) {
        if (!(thrown instanceof Lost)) throw thrown;
      }
    }
    throw new Error(`lost ${attempts} races`);
  }

  /** What `work` would write, without any of it. */
  async #draft<T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions): Promise<Draft<T>> {
    const drafts: Draft<T>[] = [];
    const rolledBack = new RolledBack();
    const trying = this.#good.transact(async (transaction) => {
      drafts.push(await this.#tried(work, transaction));
      throw rolledBack;
    }, options);
    await trying.catch((thrown) => {
      if (thrown !== rolledBack) throw thrown;
    });
    const [draft] = drafts;
    if (draft === undefined) throw rolledBack;
    return draft;
  }

  async #tried<T>(work: (transaction: Transaction) => MaybePromise<T>, transaction: Transaction): Promise<Draft<T>> {
    const changes: Change[] = [];
    const names: [string, Json][] = [];
    const states = new Map<Uid, readonly [NodeRef, string]>();
    const isOwn = (uid: Uid) => states.has(uid) || changes.some((each) => each.kind === "create" && each.uid === uid);
    const stand = async (nodes: readonly NodeRef[]) => {
      for (const node of nodes) if (!isOwn(node.uid)) states.set(node.uid, [node, await this.#stateOf(node, transaction)]);
    };
    const result = await work(
      changed(transaction, {
        hold: (nodes) => (this.#protects === "written" ? undefined : stand(nodes)),
        write: async (more) => {
          await stand(more.flatMap((each) => (each.kind === "set" || each.kind === "remove" ? [{ uid: each.uid, type: each.type }] : [])));
          changes.push(...more);
          await transaction.write(more);
        },
        setMeta: async (name, value) => {
          names.push([name, value]);
          await transaction.setMeta(name, value);
        },
      }),
    );
    return { result, changes, names, states };
  }

  async #apply<T>({ result, changes, names, states }: Draft<T>, transaction: Transaction): Promise<T> {
    for (const [node, state] of states.values()) if ((await this.#stateOf(node, transaction)) !== state) throw new Lost();
    if (changes.length > 0) await transaction.write(changes);
    for (const [name, value] of names) await transaction.setMeta(name, value);
    return result;
  }

  async #stateOf({ uid, type }: NodeRef, view: Snapshot): Promise<string> {
    const fields = this.#layout()?.types.find(({ name }) => name === type)?.fields ?? [];
    return inspect(await view.load({ uids: [uid], types: [type], fields }), { depth: null });
  }
}
