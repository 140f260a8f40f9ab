// Restores a backup into the running server: copies and verifies its files beside the store, then replaces the store by them.

import { rm } from "node:fs/promises";
import { type Kernel, QuernError } from "../../../core/index.ts";
import type { Storage } from "../../../core/storage.ts";
import { type Backup, restoreBackup } from "../../transfer/index.ts";
import type { TaskWork } from "../parts/task-queue.ts";

export interface RestoreOrder {
  /** The folder of the backups. */
  readonly folder: string;
  readonly backup: Backup;
}

/** Why this server cannot restore the backup: the words after "because"; undefined: it can. */
export function whyNotRestored(storage: Storage, { folder, backup }: RestoreOrder): string | undefined {
  if (storage.replacement === undefined)
    return `the backup is whole, but the files of a ${storage.name} store are not here to be replaced. Run: quern restore ${folder} --config <file of an empty database>, and start the servers on that one`;
  if (backup.content === "export")
    return `the backup is whole, but it is an export of a database, which is loaded into an empty store. Run: quern restore ${folder} --data <new folder>, and start a server there`;
  return undefined;
}

/**
 * The store serves reads and refuses writes while the files are copied, and is closed for a moment while they are replaced. A failure, or the
 * end of the process, leaves the store as it was, or after the last step the restored one. A backup that does not open here is taken out again; where the
 * store of before does not open either, the kernel tries until it does.
 */
export function restoreWork(kernel: Kernel, { folder, backup }: RestoreOrder): TaskWork {
  return async ({ signal, progress }) => {
    const { replacement } = kernel.storage;
    if (replacement === undefined) throw new QuernError("REQUEST_REFUSED", "The files of this store cannot be replaced.");
    const incoming = replacement.begin();
    try {
      await restoreBackup({ folder, backup, target: incoming, signal, progress: ({ done, total }) => progress(done, total) });
      signal.throwIfAborted();
    } catch (reason) {
      replacement.cancel();
      throw reason;
    }
    const before = await replace(kernel, replacement, incoming);
    return `backup ${backup.backupNum} of ${backup.backupId} is restored; the data of before are in ${before}`;
  };
}

async function replace(kernel: Kernel, replacement: NonNullable<Storage["replacement"]>, incoming: string): Promise<string> {
  const before = await replacement.announce(incoming).catch((reason: unknown) => {
    replacement.cancel();
    throw reason;
  });
  let refused: string | undefined;
  try {
    await kernel.reopen(async () => {
      refused = await replacement.announce(before);
    });
    return before;
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason);
    if (kernel.trouble?.kind === "lost") throw withoutStore(why, kernel.trouble.reason, reason);
    // Only room is lost where this fails: the next opening tries again.
    if (refused !== undefined) await rm(refused, { recursive: true, force: true }).catch(() => undefined);
    throw new QuernError("OPERATION_FAILED", `The server cannot serve this backup, and serves the data of before: ${why}`, { cause: reason });
  }
}

/** The files of before are there, and the server cannot open them at the moment. */
function withoutStore(why: string, reason: string, cause: unknown): QuernError {
  return new QuernError(
    "OPERATION_FAILED",
    `The server cannot serve this backup: ${why}. Now it serves nothing, because it cannot open the data of before either: ${reason}. As long as it runs it tries again, and serves the data of before when they open; /health/ready says when that is`,
    { cause },
  );
}
