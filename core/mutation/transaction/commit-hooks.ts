// Calls the plugins' `commit` hooks.

import type { ChangeRecord } from "../../contracts/change-record.ts";
import { rescued } from "../../ground/maybe-promise.ts";
import type { Mutation } from "../context/mutation.ts";

/** An error of a plugin is logged; the commit stands. */
export function runCommitHooks({ context, facts }: Pick<Mutation, "context" | "facts">, record: ChangeRecord): void {
  for (const { plugin, hooks } of facts.plugins) {
    if (!hooks.commit) continue;
    const failed = (thrown: unknown) => context.log.fault(thrown, { requestID: context.request.id, plugin, where: "after a commit" });
    rescued<void>(() => hooks.commit?.(record, context.request), failed);
  }
}
