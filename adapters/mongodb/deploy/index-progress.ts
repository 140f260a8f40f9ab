// Reports the progress of an index build: the database reads the documents, then inserts the keys of each index in order.

import { setTimeout as pause } from "node:timers/promises";
import type { MigrationStep } from "../../../core/storage.ts";
import type { Connection } from "../connection/connection.ts";

export interface WatchedBuild {
  readonly collection: string;
  /** The label in progress messages. */
  readonly what: string;
  /** False: reports nothing unless the build is running. */
  readonly isNew: boolean;
  readonly build: Promise<unknown>;
  readonly progress: (step: MigrationStep) => void;
}

const everyMs = 200;

/** Resolves when `build` does. */
export async function watchBuild(connection: Connection, watched: WatchedBuild): Promise<void> {
  const { collection, what, isNew, build, progress } = watched;
  const ended = new AbortController();
  build.catch(() => undefined).finally(() => ended.abort());
  let last: MigrationStep | undefined;
  const report = (step: MigrationStep) => {
    if (last !== undefined && last.what !== step.what) progress({ ...last, done: last.total });
    last = step;
    progress(step);
  };
  if (isNew) report({ what, done: 0, total: await connection.collection(collection).estimatedDocumentCount() });
  // Another connection polls, as this one waits. Without the privilege, only beginning and end are reported.
  void watch(connection, watched, { report, signal: ended.signal }).catch(() => undefined);
  await build;
  if (last !== undefined) progress({ ...last, done: last.total });
}

async function watch(
  { client, db }: Connection,
  { collection, what }: WatchedBuild,
  { report, signal }: { readonly report: (step: MigrationStep) => void; readonly signal: AbortSignal },
): Promise<void> {
  const ours = { ns: `${db.databaseName}.${collection}`, msg: /^Index Build/, "progress.total": { $gt: 0 } };
  const stages = [{ $currentOp: { allUsers: true, idleConnections: false } }, { $match: ours }];
  for (;;) {
    await pause(everyMs, undefined, { signal });
    const [found] = await client.db("admin").aggregate(stages).toArray();
    if (signal.aborted) return;
    const { progress, msg } = found ?? {};
    if (progress === undefined) continue;
    const step = { done: Number(progress.done), total: Number(progress.total) };
    if (/inserting keys/.test(String(msg))) report({ what: `${what}: keys`, ...step });
    else report({ what, ...step });
  }
}
