// Runs several root fields of a mutation in one transaction: all of them are committed, or none.

import type { Transaction } from "../../contracts/storage/snapshot.ts";
import type { OperationContext, RootResult } from "../../query/operation-context.ts";
import type { RootPlan } from "../../query/plan/plan.ts";
import type { Together } from "../context/mutation.ts";
import { CommittedView } from "../run/payload.ts";
import { type Done, type PreparedMutation, prepareMutation } from "../run/prepare-mutation.ts";
import { runCommitHooks } from "./commit-hooks.ts";
import { transact } from "./transact.ts";

export type TogetherOutcome =
  /** Committed. `payloads` has one reader for each root field; `close` is called when all are read. */
  | { readonly payloads: readonly (() => Promise<RootResult>)[]; readonly close: () => void }
  /** Nothing is written: what the root field has thrown. */
  | { readonly undone: RootPlan; readonly thrown: unknown };

/** Carries `roots`, adds, updates and deletes, out in order. Each sees the writes of those before it. */
export async function runTogether(roots: readonly RootPlan[], context: OperationContext): Promise<TogetherOutcome> {
  let current: RootPlan | undefined;
  try {
    const prepared: PreparedMutation[] = [];
    const together: Together = { changed: 0, attempt: { scope: undefined } };
    for (const root of roots) {
      current = root;
      prepared.push(await prepareMutation(root, context, together));
    }
    return await commit(prepared, context, (root) => {
      current = root;
      // The transaction may run again.
      if (root === roots[0]) together.changed = 0;
    });
  } catch (thrown) {
    const [first] = roots;
    const undone = current ?? first;
    if (!undone) throw thrown;
    return { undone, thrown };
  }
}

async function commit(prepared: readonly PreparedMutation[], context: OperationContext, began: (root: RootPlan) => void): Promise<TogetherOutcome> {
  const [first] = prepared;
  if (!first) return { payloads: [], close: () => undefined };
  let current = first;
  const work = async (transaction: Transaction): Promise<readonly Done[]> => {
    const done: Done[] = [];
    for (const each of prepared) {
      current = each;
      began(each.mutation.root);
      done.push(each.work ? await each.work(transaction) : { finish: each.nothing, chose: false });
    }
    return done;
  };
  const committed = await transact(first.mutation, work, { failing: () => current.mutation, chose: (done) => done.some(({ chose }) => chose) });
  const { result, token, record } = committed;
  context.committed?.(token);
  if (record) runCommitHooks(first.mutation, record);
  const view = new CommittedView(context, committed);
  return {
    payloads: result.map(
      ({ finish }) =>
        () =>
          finish(view),
    ),
    close: () => view.close(),
  };
}
