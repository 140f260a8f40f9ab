// The sizes of images in the database.

import type { Change, MaybePromise, NodeType, Snapshot, Transaction, Uid } from "../../../core/plugin.ts";
import { createGone } from "./gone.ts";
import { keyField, sizeFields, sizesField, sizeType } from "./layout.ts";

/** An image in a size. */
export interface ImageSize {
  /** The key of the image as it was sent. */
  readonly of: string;
  readonly width: number;
}

/** Where the bytes of a size are. Undefined: nobody has asked for it. */
export async function findSize(snapshot: Pick<Snapshot, "find">, size: ImageSize): Promise<{ readonly uid: Uid; readonly key: string } | undefined> {
  const { uids, columns } = await snapshot.find({
    types: [sizeType],
    where: {
      kind: "and",
      of: [
        { kind: "compare", field: sizeFields.of, op: "eq", operands: [size.of] },
        { kind: "compare", field: sizeFields.width, op: "eq", operands: [size.width] },
      ],
    },
    fields: [sizeFields.key],
  });
  const [uid] = uids;
  return uid === undefined ? undefined : { uid, key: String(columns[0]?.[0]) };
}

export interface NewSize extends ImageSize {
  /** The file that has the image. */
  readonly file: { readonly uid: Uid; readonly type: NodeType };
  readonly key: string;
  /** The key under which the size was, whose bytes are missing. */
  readonly missing: string | undefined;
}

/** Undefined: the file is gone, or somebody else has made the size meanwhile. */
export async function addSize(transaction: Transaction, { of, width, file, key, missing }: NewSize): Promise<string | undefined> {
  const { type } = file;
  const { columns } = await transaction.load({ uids: [file.uid], types: [type.stored], fields: [keyField(type), sizesField(type)] });
  const [current, count] = columns.map((column) => column[0]);
  if (current !== of) return undefined;
  const found = await findSize(transaction, { of, width });
  if (found !== undefined && found.key !== missing) return undefined;
  if (found !== undefined) {
    await transaction.write([{ kind: "set", uid: found.uid, type: sizeType, fields: { [sizeFields.key]: key } }]);
    return key;
  }
  const [uid = 0] = await transaction.uids(1);
  const fields = { [sizeFields.of]: of, [sizeFields.width]: width, [sizeFields.key]: key };
  await transaction.write([
    { kind: "create", uid, type: sizeType, fields },
    { kind: "set", uid: file.uid, type: type.stored, fields: { [sizesField(type)]: Number(count ?? 0) + 1 } },
  ]);
  return key;
}

/** What removes the sizes of the images under these keys. */
export async function sizeRemovals(
  transaction: Pick<Snapshot, "find">,
  keys: readonly string[],
  uids: (count: number) => MaybePromise<readonly Uid[]>,
): Promise<readonly Change[]> {
  if (keys.length === 0) return [];
  const found = await transaction.find({
    types: [sizeType],
    where: { kind: "compare", field: sizeFields.of, op: "in", operands: keys },
    fields: [sizeFields.key],
  });
  const fresh = await uids(found.uids.length);
  return found.uids.flatMap((uid, row): readonly Change[] => [
    { kind: "remove", uid, type: sizeType },
    createGone(fresh[row] ?? 0, String(found.columns[0]?.[row])),
  ]);
}
