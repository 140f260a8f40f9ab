// Resumable uploads in the database: what is known of them before all of their bytes are there, and the pieces that are.

import type { Change, Snapshot, Transaction, Uid } from "../../../core/plugin.ts";
import { createGone } from "./gone.ts";
import { pieceFields, pieceType, uploadFields, uploadType } from "./layout.ts";
import { completeUpload, createUpload, type FileFacts, type NewUpload, ticketHash } from "./uploads.ts";

/** A resumable upload. */
export interface ResumableUpload {
  readonly uid: Uid;
  /** What its pieces refer to. */
  readonly key: string;
  /** As its client has said. */
  readonly bytes: number;
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly caller: string;
  readonly received: number;
  /** All of it is in one place, and an add or update may take it. */
  readonly whole: boolean;
  readonly ends: number;
  readonly latest: number;
}

export type NewResumable = NewUpload & Omit<ResumableUpload, "received" | "whole">;

export async function addResumable(transaction: Transaction, { bytes, name, type, caller, ends, latest, ...upload }: NewResumable): Promise<void> {
  const created = createUpload(upload, { caller, ends });
  const { received, latest: latestName, bytes: bytesName, name: nameName, type: typeName } = uploadFields;
  const given = { ...(name !== undefined && { [nameName]: name }), ...(type !== undefined && { [typeName]: type }) };
  await transaction.write([{ ...created, fields: { ...created.fields, ...given, [bytesName]: BigInt(bytes), [received]: 0, [latestName]: latest } }]);
}

const columns = ["key", "bytes", "name", "type", "caller", "received", "whole", "ends", "latest"] as const;

/** Undefined: there is none, or it is over. */
export async function findResumable(snapshot: Pick<Snapshot, "find">, ticket: string): Promise<ResumableUpload | undefined> {
  const { uids, columns: values } = await snapshot.find({
    types: [uploadType],
    where: {
      kind: "and",
      of: [
        { kind: "compare", field: uploadFields.ticket, op: "eq", operands: [ticketHash(ticket)] },
        { kind: "compare", field: uploadFields.ends, op: "gt", operands: [Date.now()] },
      ],
    },
    fields: columns.map((each) => uploadFields[each]),
  });
  const [key, bytes, name, type, caller, received, whole, ends, latest] = values.map((column) => column[0]);
  const [uid] = uids;
  if (uid === undefined || latest === undefined) return undefined;
  return {
    uid,
    key: String(key),
    bytes: Number(bytes),
    name: name === undefined ? undefined : String(name),
    type: type === undefined ? undefined : String(type),
    caller: String(caller),
    received: Number(received),
    whole: whole === true,
    ends: Number(ends),
    latest: Number(latest),
  };
}

/** A piece that has arrived. */
export interface NewPiece {
  readonly ticket: string;
  readonly offset: number;
  readonly bytes: number;
  readonly key: string;
  /** How long the upload waits for the next one. */
  readonly lastsMs: number;
}

/** @returns how much is there. Undefined: the upload is over, or another request has brought these bytes */
export async function addPiece(transaction: Transaction, { ticket, offset, bytes, key, lastsMs }: NewPiece): Promise<number | undefined> {
  const upload = await findResumable(transaction, ticket);
  if (upload === undefined || upload.whole || upload.received !== offset) return undefined;
  const [uid = 0] = await transaction.uids(1);
  const received = offset + bytes;
  const ends = Math.min(upload.latest, Date.now() + lastsMs);
  const fields = { [pieceFields.of]: upload.key, [pieceFields.offset]: offset, [pieceFields.bytes]: bytes, [pieceFields.key]: key };
  await transaction.write([
    { kind: "create", uid, type: pieceType, fields },
    { kind: "set", uid: upload.uid, type: uploadType, fields: { [uploadFields.received]: received, [uploadFields.ends]: ends } },
  ]);
  return received;
}

export interface Piece {
  readonly uid: Uid;
  readonly key: string;
  readonly bytes: number;
  readonly offset: number;
}

/** In their order. */
export async function piecesOf(snapshot: Pick<Snapshot, "find">, uploads: readonly string[], most?: number): Promise<readonly Piece[]> {
  const { uids, columns: values } = await snapshot.find({
    types: [pieceType],
    where: { kind: "compare", field: pieceFields.of, op: "in", operands: uploads },
    fields: [pieceFields.key, pieceFields.bytes, pieceFields.offset],
    ...(most !== undefined && { page: { first: most } }),
  });
  const [keys = [], bytes = [], offsets = []] = values;
  const pieces = uids.map((uid, row) => ({ uid, key: String(keys[row]), bytes: Number(bytes[row]), offset: Number(offsets[row]) }));
  return pieces.sort((a, b) => a.offset - b.offset);
}

/** What removes pieces, and later their bytes. */
export async function pieceRemovals(transaction: Transaction, pieces: readonly Piece[]): Promise<readonly Change[]> {
  const fresh = await transaction.uids(pieces.length);
  return pieces.flatMap(({ uid, key }, i): readonly Change[] => [{ kind: "remove", uid, type: pieceType }, createGone(fresh[i] ?? 0, key)]);
}

export interface Completed {
  readonly ticket: string;
  readonly facts: FileFacts;
  /** Where all of the bytes are. */
  readonly key: string;
  readonly ends: number;
}

/** Undefined: it is over, or another request has completed it. */
export async function completeResumable(transaction: Transaction, { ticket, facts, key, ends }: Completed): Promise<true | undefined> {
  const upload = await findResumable(transaction, ticket);
  if (upload === undefined || upload.whole) return undefined;
  const completed = completeUpload(upload.uid, facts, ends);
  await transaction.write([
    { ...completed, fields: { ...completed.fields, [uploadFields.key]: key } },
    ...(await pieceRemovals(transaction, await piecesOf(transaction, [upload.key]))),
  ]);
  return true;
}
