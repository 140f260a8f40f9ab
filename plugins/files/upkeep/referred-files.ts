// The files that the database refers to: those of objects, and uploads that wait.

import { type Batch, type KernelAccess, type Predicate, QuernError, type Uid } from "../../../core/plugin.ts";
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
function hasFiles({ served }: KernelAccess): boolean {
  return served?.model.nodeTypes.has(fileTypeName) === true && served.layout.types.some(({ name }) => name === uploadType);
}

/** @throws `REQUEST_REFUSED`: every file would count as one that nothing refers to */
export function assertFiles(kernel: KernelAccess): void {
  if (hasFiles(kernel)) return;
  throw new QuernError("REQUEST_REFUSED", "The deployed schema has no field with @file, so nothing says which files belong to it.");
}

/** A page at a time, each of one moment. */
export async function* referredFiles(kernel: KernelAccess): AsyncGenerator<ReferredFile> {
  for (let place: ReferredPlace | undefined = firstPlace; place !== undefined; ) {
    const page: ReferredPage = await referredPage(kernel, place);
    yield* page.files;
    place = page.next;
  }
}

/** Where a page begins. */
export interface ReferredPlace {
  /** A number of those that refer. */
  readonly of: number;
  readonly after: Uid;
}

export const firstPlace: ReferredPlace = { of: 0, after: 0 };

export interface ReferredPage {
  readonly files: readonly ReferredFile[];
  /** Undefined: this was the last one. */
  readonly next: ReferredPlace | undefined;
}

export async function referredPage(kernel: KernelAccess, { of, after }: ReferredPlace): Promise<ReferredPage> {
  const all = referring(kernel);
  const each = all[of];
  if (each === undefined) return { files: [], next: undefined };
  const page = await pageAfter(kernel, each, after);
  const last = page.uids.length < atOnce ? undefined : page.uids.at(-1);
  const next = last === undefined ? { of: of + 1, after: 0 } : { of, after: last };
  return { files: filesIn(page, each), next: next.of < all.length ? next : undefined };
}

function filesIn({ uids, columns }: Batch, { what }: Referring): readonly ReferredFile[] {
  return uids.flatMap((uid, row) => {
    const [key, bytes, sha256] = columns.map((column) => column[row]);
    return typeof key === "string" ? [{ uid, key, bytes: Number(bytes), sha256: String(sha256), what }] : [];
  });
}

/** What refers to the key. */
export async function referredFile(kernel: KernelAccess, key: string): Promise<ReferredFile | undefined> {
  const snapshot = kernel.snapshot();
  try {
    for (const each of referring(kernel)) {
      const [field = ""] = each.fields;
      const isKey: Predicate = { kind: "compare", field, op: "eq", operands: [key] };
      const [found] = filesIn(await snapshot.find({ types: [each.type], where: isKey, fields: each.fields }), each);
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    snapshot.close();
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
