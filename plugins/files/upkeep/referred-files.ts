// The files that the database refers to: those of objects, and uploads that wait.

import type { Batch, KernelAccess, Predicate, Uid } from "../../../core/plugin.ts";
import { keyField, uploadFields, uploadType } from "../records/layout.ts";
import { fileTypeName } from "../schema/definitions.ts";
import { storedOf } from "../schema/read-files.ts";

export interface ReferredFile {
  readonly uid: Uid;
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  /** `file` or `upload`, for messages. */
  readonly what: string;
}

/** A type of nodes that refer to files. */
interface Referring {
  readonly type: string;
  readonly what: string;
  /** Of the key, the length and the hash. */
  readonly fields: readonly string[];
  readonly where?: Predicate;
}

const atOnce = 200;

/** Whether the deployed schema has files. Where it has none, nothing says what refers to what. */
export function hasFiles({ served }: KernelAccess): boolean {
  return served?.model.nodeTypes.has(fileTypeName) === true && served.layout.types.some(({ name }) => name === uploadType);
}

/** A page at a time, each of one moment. */
export async function* referredFiles(kernel: KernelAccess): AsyncGenerator<ReferredFile> {
  for (const each of referring(kernel)) {
    for (let after: Uid | undefined = 0; after !== undefined; ) {
      const page: Batch = await pageAfter(kernel, each, after);
      for (const [row, uid] of page.uids.entries()) {
        const [key, bytes, sha256] = page.columns.map((column) => column[row]);
        if (typeof key === "string") yield { uid, key, bytes: Number(bytes), sha256: String(sha256), what: each.what };
      }
      after = page.uids.length < atOnce ? undefined : page.uids.at(-1);
    }
  }
}

/** Those of `keys` that something refers to now. */
export async function referredKeys(kernel: KernelAccess, keys: readonly string[], others: readonly Referring[] = []): Promise<ReadonlySet<string>> {
  const snapshot = kernel.snapshot();
  try {
    const found = new Set<string>();
    for (const { type, fields } of [...referring(kernel), ...others]) {
      const [field = ""] = fields;
      const where: Predicate = { kind: "compare", field, op: "in", operands: keys };
      const { columns } = await snapshot.find({ types: [type], where, fields: [field] });
      for (const key of columns[0] ?? []) found.add(String(key));
    }
    return found;
  } finally {
    snapshot.close();
  }
}

function referring({ served }: KernelAccess): readonly Referring[] {
  const file = served?.model.nodeTypes.get(fileTypeName);
  const { key, bytes, sha256, whole } = uploadFields;
  const isWhole: Predicate = { kind: "compare", field: whole, op: "eq", operands: [true] };
  return [
    ...(file ? [{ type: file.stored, what: "file", fields: [keyField(file), storedOf(file, "bytes"), storedOf(file, "sha256")] }] : []),
    { type: uploadType, what: "upload", fields: [key, bytes, sha256], where: isWhole },
  ];
}

async function pageAfter(kernel: KernelAccess, { type, fields, where }: Referring, uid: Uid): Promise<Batch> {
  const after: Predicate = { kind: "after", uid };
  const snapshot = kernel.snapshot();
  try {
    return await snapshot.find({ types: [type], where: where ? { kind: "and", of: [where, after] } : after, page: { first: atOnce }, fields });
  } finally {
    snapshot.close();
  }
}
