// One transaction in which a plugin writes nodes for a caller, in a language of its own.

import type { MaybePromise, Uid } from "../../ground/values/value.ts";
import type { Change } from "../change.ts";
import type { NodeRef, Snapshot } from "../storage/snapshot.ts";
import type { ChangesTransaction } from "./mutation-hooks.ts";
import type { Permissions } from "./permissions.ts";
import type { Purpose } from "./request-view.ts";

/**
 * What the callback of `KernelAccess.write` and `LanguageQuestion.write` works with. Its own reads (`find`, `follow`, ...) see what it has written, and every
 * node: no rule narrows them. It may run several times.
 *
 *     await kernel.write({ headers, language: "letters" }, async (tx) => {
 *       const [uid = 0] = await tx.uids(1);
 *       await tx.write([{ kind: "create", uid, type: "Author", fields: { "Author.name": "Ada" } }]);
 *     });
 */
export interface WriteTransaction extends ChangesTransaction {
  /** Its data outside rules, as `RootContext.outsideRules`: every node, unless a plugin narrows everywhere. */
  readonly snapshot: Snapshot;
  /** Its data as the caller may see them. */
  readonly visible: () => MaybePromise<Snapshot>;
  /** What the caller may read and write; undefined: everything. `write` does not ask: the plugin knows what its client has named. */
  readonly permissions: Permissions | undefined;
  /** Some plugin narrows everywhere: then rules hold here too. */
  readonly narrowsEverywhere: boolean;
  /** Which of `nodes` the rules of the caller let pass for `purpose`. `write` does not ask. */
  permits(purpose: Purpose, nodes: readonly NodeRef[]): MaybePromise<(uid: Uid) => boolean>;
  /** Allocates uids for new nodes. */
  uids(count: number): MaybePromise<readonly Uid[]>;
  /**
   * Writes changes through the hooks of all plugins: `values` may replace and refuse values, `changes`, `check` and `append` hold as for any mutation. Values for
   * absent fields, as those of defaults, are not filled in, and required fields may be missing. Passwords are given as hashes, which `values` does not see.
   */
  write(changes: readonly Change[]): Promise<void>;
}

/** Who writes. */
export interface WriteOptions {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What hooks get as the name of the mutation, and as its language. */
  readonly language: string;
  /** Calls its listener when the client no longer waits. */
  readonly onGone?: ((listener: () => void) => void) | undefined;
}
