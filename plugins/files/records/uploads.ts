// The uploads in the database.

import { createHash, randomBytes } from "node:crypto";
import type { Batch, Create, KernelAccess, Predicate, Set as SetChange, Snapshot, Stored, Transaction, Uid } from "../../../core/plugin.ts";
import { uploadFields, uploadType } from "./layout.ts";

/** What is known of the bytes of an upload that has arrived. */
export interface FileFacts {
  readonly name: string | undefined;
  readonly type: string;
  readonly bytes: number;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly sha256: string;
}

/** An upload that waits to be taken. */
export interface WaitingUpload extends FileFacts {
  readonly uid: Uid;
  readonly ticket: string;
  readonly key: string;
  readonly ends: number;
}

/** An upload that begins. */
export interface NewUpload {
  readonly uid: Uid;
  readonly key: string;
  readonly ticket: string;
}

export function newKey(): string {
  return randomBytes(20).toString("hex");
}

export function newTicket(): string {
  return randomBytes(24).toString("base64url");
}

export function ticketHash(ticket: string): string {
  return createHash("sha256").update(ticket).digest("base64url");
}

/** An upload that is under way. It is there before its bytes are: whatever happens to this process, somebody finds them. */
export function createUpload({ uid, key, ticket }: NewUpload, { caller, ends }: { readonly caller: string; readonly ends: number }): Create {
  const { key: keyName, ticket: ticketName, whole, ends: endsName, caller: callerName, bytes } = uploadFields;
  const fields = { [keyName]: key, [ticketName]: ticketHash(ticket), [whole]: false, [endsName]: ends, [callerName]: caller, [bytes]: 0n };
  return { kind: "create", uid, type: uploadType, fields };
}

/** It has arrived. */
export function completeUpload(uid: Uid, { name, type, bytes, width, height, sha256 }: FileFacts, ends: number): SetChange {
  const names = uploadFields;
  const known: readonly (readonly [string, Stored | undefined])[] = [
    [names.whole, true],
    [names.ends, ends],
    [names.name, name],
    [names.type, type],
    [names.bytes, BigInt(bytes)],
    [names.width, width],
    [names.height, height],
    [names.sha256, sha256],
  ];
  const fields = Object.fromEntries(known.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])));
  return { kind: "set", uid, type: uploadType, fields };
}

const columns = ["key", "ticket", "ends", "name", "type", "bytes", "width", "height", "sha256"] as const;

/** Those of `tickets` whose uploads have arrived and are not over, by the hash of the ticket. */
export async function waitingUploads(
  snapshot: Pick<Snapshot, "find">,
  tickets: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, WaitingUpload>> {
  const { ticket, whole, ends } = uploadFields;
  const batch = await snapshot.find({
    types: [uploadType],
    where: {
      kind: "and",
      of: [
        { kind: "compare", field: ticket, op: "in", operands: tickets.map(ticketHash) },
        { kind: "compare", field: whole, op: "eq", operands: [true] },
        { kind: "compare", field: ends, op: "gt", operands: [now] },
      ],
    },
    fields: columns.map((each) => uploadFields[each]),
  });
  return new Map(batch.uids.map((uid, row) => uploadAt(batch, row, uid)).map((each) => [each.ticket, each]));
}

function uploadAt({ columns: values }: Batch, row: number, uid: Uid): WaitingUpload {
  const [key, ticket, ends, name, type, bytes, width, height, sha256] = values.map((column) => column[row]);
  return {
    uid,
    key: String(key),
    ticket: String(ticket),
    ends: Number(ends),
    name: name === undefined ? undefined : String(name),
    type: String(type),
    bytes: Number(bytes),
    width: width === undefined ? undefined : Number(width),
    height: height === undefined ? undefined : Number(height),
    sha256: String(sha256),
  };
}

/** Bytes and number of uploads. */
export interface WaitingSum {
  readonly count: number;
  readonly bytes: number;
}

/** Of those that count for a caller. Bodies that arrive have no bytes yet; resumable ones have all that they will have. */
export async function waitingFor(snapshot: Pick<Snapshot, "aggregate">, caller: string): Promise<WaitingSum> {
  return await sumOf(snapshot, { kind: "compare", field: uploadFields.caller, op: "eq", operands: [caller] });
}

/** Of all callers. */
export async function allWaiting(snapshot: Pick<Snapshot, "aggregate">): Promise<WaitingSum> {
  return await sumOf(snapshot, undefined);
}

async function sumOf(snapshot: Pick<Snapshot, "aggregate">, where: Predicate | undefined): Promise<WaitingSum> {
  const [row] = await snapshot.aggregate({
    over: { types: [uploadType], ...(where && { where }) },
    measures: [{ kind: "count" }, { kind: "sum", field: uploadFields.bytes }],
  });
  return { count: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) };
}

/** Whether an upload is still there: it may be over meanwhile. */
export async function isThere(transaction: Pick<Transaction, "load">, uid: Uid): Promise<boolean> {
  const { uids } = await transaction.load({ uids: [uid], types: [uploadType], fields: [] });
  return uids.length > 0;
}

export type Transact = KernelAccess["transact"];
