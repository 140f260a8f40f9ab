// The deployed texts that a store remembers, so that one can see what a deploy changed, and go back. Written in the transaction that counts the
// deploy; the oldest are forgotten.

import type { Snapshot, Transaction } from "../../contracts/storage/snapshot.ts";
import type { CommitToken, Json } from "../../ground/values/value.ts";

/** A deploy that the store remembers. */
export interface PastDeploy {
  /** A number that rises with each deploy. */
  readonly id: number;
  /** When it ended, by the clock of the server that deployed: `2031-05-01T12:00:00.000Z`. Undefined: it was deployed before the store kept this. */
  readonly at: string | undefined;
  /** The newest commit when it ended. */
  readonly commit: CommitToken;
  /** The size of the text in UTF-8. */
  readonly bytes: number;
}

/** The newest deploys, that many at most. */
const maxDeploys = 50;
/** Their texts together, in bytes. A longer text than this is not kept. */
const maxBytes = 4 << 20;

const listName = "pastDeploys";
const textName = (id: number) => `pastDeploy/${id}`;

/** The deploys, the newest first. */
export async function readPastDeploys(view: Pick<Snapshot, "meta">): Promise<readonly PastDeploy[]> {
  return readList(await view.meta(listName)).reverse();
}

/** The text of a deploy; undefined: the store does not have it, or no longer. */
export async function readPastText(view: Pick<Snapshot, "meta">, id: number): Promise<string | undefined> {
  const text = await view.meta(textName(id));
  return typeof text === "string" ? text : undefined;
}

export interface DeployedTexts {
  /** What was deployed before; undefined: nothing. */
  readonly before: string | undefined;
  readonly next: string;
}

/** Remembers the deploy of `next`. A text `before` that is not remembered, because an earlier version deployed it, comes first. */
export async function keepDeploy(transaction: Transaction, { before, next }: DeployedTexts): Promise<void> {
  const list = readList(await transaction.meta(listName));
  const last = list.at(-1);
  const isKnown = before === undefined || (last !== undefined && (await readPastText(transaction, last.id)) === before);
  const made = [...(isKnown ? [] : [{ text: before, at: undefined }]), { text: next, at: new Date().toISOString() }];
  for (const { text, at } of made) {
    const id = (list.at(-1)?.id ?? 0) + 1;
    const bytes = Buffer.byteLength(text);
    list.push({ id, at, commit: transaction.at, bytes });
    if (bytes <= maxBytes) await transaction.setMeta(textName(id), text);
  }
  for (const { id } of list.splice(0, list.length - kept(list))) await transaction.setMeta(textName(id), null);
  await transaction.setMeta(listName, list.map(asJson));
}

/** How many of the newest fit. */
function kept(list: readonly PastDeploy[]): number {
  let [count, bytes] = [0, 0];
  for (const deploy of [...list].reverse().slice(0, maxDeploys)) {
    bytes += deploy.bytes > maxBytes ? 0 : deploy.bytes;
    if (bytes > maxBytes) break;
    count++;
  }
  return count;
}

function asJson({ id, at, commit, bytes }: PastDeploy): Json {
  return { id, at: at ?? null, commit, bytes };
}

function readList(stored: Json | undefined): PastDeploy[] {
  return (Array.isArray(stored) ? stored : []).flatMap((each): PastDeploy[] => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return [];
    const { id, at, commit, bytes } = each as Readonly<Record<string, Json>>;
    if (typeof id !== "number" || typeof commit !== "string" || typeof bytes !== "number") return [];
    return [{ id, at: typeof at === "string" ? at : undefined, commit, bytes }];
  });
}
