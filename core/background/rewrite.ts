// A pass that stores other values in the place of those that a field has, slice by slice.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { RewritePass, Rewritten } from "../contracts/plugin/background.ts";
import { and } from "../contracts/predicate.ts";
import type { Batch } from "../contracts/storage/results.ts";
import type { Transaction } from "../contracts/storage/snapshot.ts";
import type { Committed } from "../contracts/storage/storage.ts";
import { QuernError } from "../ground/errors.ts";
import { PluginFault } from "../ground/plugin-fault.ts";
import { sameStored } from "../ground/values/same-stored.ts";
import type { MaybePromise, Stored, TypeName, Uid } from "../ground/values/value.ts";
import { fitsField } from "../schema/plugins/hook-results.ts";
import type { TaskOptions } from "./options.ts";

export interface RewriteContext extends Pick<TaskOptions, "storage" | "deployment" | "plugin" | "task"> {
  readonly signal: AbortSignal;
  readonly transact: <T>(work: (transaction: Transaction) => MaybePromise<T>) => Promise<Committed<T>>;
}

/** Nodes of one slice: a few milliseconds of the writer. Halved where they are more than the store takes at once. */
const sliceNodes = 256;

/** @throws PluginFault for a field that the plugin does not show, and for a value that does not fit it */
export async function rewrite(pass: RewritePass, context: RewriteContext): Promise<Rewritten> {
  const slices = new Slices(pass, context);
  let [after, read, rewritten, nodes] = [0, 0, 0, sliceNodes];
  for (;;) {
    context.signal.throwIfAborted();
    const batch = await slices.find(after, nodes);
    try {
      const written = await slices.write(batch);
      // Undefined: a value has changed meanwhile, and the slice is read again.
      if (written !== undefined) {
        after = batch.uids.at(-1) ?? after;
        read += batch.uids.length;
        rewritten += written;
        if (batch.uids.length < nodes) return { read, rewritten };
      }
    } catch (thrown) {
      if (!(thrown instanceof QuernError && thrown.code === "TOO_LARGE") || nodes === 1) throw thrown;
      nodes = Math.ceil(nodes / 2);
    }
    await nextTurn();
  }
}

interface NewValue {
  readonly uid: Uid;
  readonly type: TypeName;
  readonly from: Stored;
  readonly to: Stored;
}

class Slices {
  readonly #pass: RewritePass;
  readonly #context: RewriteContext;
  readonly #types: readonly TypeName[];

  constructor(pass: RewritePass, context: RewriteContext) {
    const shown = context.deployment.api.shown?.get(pass.field.stored);
    this.#pass = pass;
    this.#context = context;
    this.#types = [...(shown ?? [])].flatMap(([type, { plugin }]) => (plugin === context.plugin ? [type] : []));
    if (this.#types.length === 0) throw this.#fault(", which is no field that the plugin shows (Hooks.shown)");
  }

  /** The next nodes behind `after`. */
  async find(after: Uid, first: number): Promise<Batch> {
    const { storage, deployment } = this.#context;
    const { field, where = { kind: "has", field: field.stored } } = this.#pass;
    const snapshot = storage.snapshot({ version: deployment.version });
    try {
      const behind = and({ kind: "after", uid: after }, where);
      return await snapshot.find({ types: this.#types, where: behind, page: { first }, fields: [field.stored] });
    } finally {
      snapshot.close();
    }
  }

  /** How many values it has replaced; undefined: one is no longer what it was, and nothing is written. */
  async write(batch: Batch): Promise<number | undefined> {
    const values = await this.#newValues(batch);
    if (values.length === 0) return 0;
    const { result } = await this.#context.transact((transaction) => this.#replace(values, transaction));
    return result ? values.length : undefined;
  }

  /** Before the transaction: nobody waits for a slow one. */
  async #newValues({ uids, types, columns: [values = []] }: Batch): Promise<readonly NewValue[]> {
    const found: NewValue[] = [];
    for (const [row, from] of values.entries()) {
      const to = from === undefined ? undefined : await this.#pass.value(from);
      if (from === undefined || to === undefined || sameStored(from, to)) continue;
      if (!fitsField(this.#pass.field, to)) throw this.#fault(" to a value that does not fit it");
      found.push({ uid: uids[row] ?? 0, type: types[row] ?? "", from, to });
    }
    return found;
  }

  async #replace(values: readonly NewValue[], transaction: Transaction): Promise<boolean> {
    const { stored } = this.#pass.field;
    await transaction.hold(values.map(({ uid, type }) => ({ uid, type })));
    const { uids, columns } = await transaction.load({ uids: values.map(({ uid }) => uid), types: this.#types, fields: [stored] });
    const now = new Map(uids.map((uid, row) => [uid, columns[0]?.[row]]));
    if (!values.every(({ uid, from }) => sameStored(now.get(uid), from))) return false;
    await transaction.write(values.map(({ uid, type, to }) => ({ kind: "set", uid, type, fields: { [stored]: to } })));
    return true;
  }

  #fault(problem: string): PluginFault {
    const { plugin, task } = this.#context;
    const { owner, name } = this.#pass.field;
    return new PluginFault({ plugin, hook: `background task ${task.name}` }, `it rewrites ${owner.name}.${name}${problem}.`);
  }
}
