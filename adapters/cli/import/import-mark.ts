// The progress of a file's import, stored in the same transaction as the nodes that it covers.

import type { Json, Storage } from "../../../core/storage.ts";
import type { Position } from "./line-batches.ts";

/** A file is identified by the hash of its beginning, so a copy, another name or appended lines do not matter. */
export interface ImportMark extends Position {
  /** Position of the second pass: the deferred references of the lines before it are written. */
  readonly linked: Position | undefined;
  /** Lines skipped so far: their nodes may be missing. */
  readonly bad: number;
}

/** Stored marks per type. */
const maxMarks = 1_000;

export function markName(type: string): string {
  return `import/${type}`;
}

/** The stored marks; other values are ignored. */
export function parseMarks(stored: Json | undefined): readonly ImportMark[] {
  return Array.isArray(stored) ? stored.filter(isMark).map((mark) => ({ ...mark, linked: isPosition(mark.linked) ? mark.linked : undefined })) : [];
}

/** `marks` with `before` replaced by `now`, the newest last. */
export function withMark(marks: readonly ImportMark[], before: ImportMark | undefined, now: ImportMark): readonly ImportMark[] {
  return [...marks.filter((mark) => mark.hash !== before?.hash && mark.hash !== now.hash), now].slice(-maxMarks);
}

export function marksToJson(marks: readonly ImportMark[]): Json {
  return marks.map(({ linked, bad, ...position }) => ({ ...plain(position), bad, linked: linked === undefined ? null : plain(linked) }));
}

export interface Marking {
  readonly pending: () => { readonly name: string; readonly value: Json } | undefined;
  /** Called when the transaction has done its work, before it is durable. */
  readonly staged: () => void;
  /** Called when a transaction fails. */
  readonly failed: (thrown: unknown) => void;
}

/**
 * Wraps `inner` so that every transaction, though not `loadLinks`, also writes the `pending` mark. The mark and its nodes are durable together or not at all,
 * and the write path does not depend on imports.
 */
export function markingStorage(inner: Storage, { pending, staged, failed }: Marking): Storage {
  const { verifyFiles, pinFiles, cache, loadLinks } = inner;
  return {
    name: inner.name,
    ...(inner.folder !== undefined && { folder: inner.folder }),
    ...(verifyFiles && { verifyFiles: (options) => verifyFiles.call(inner, options) }),
    ...(pinFiles && { pinFiles: () => pinFiles.call(inner) }),
    ...(cache && { cache }),
    ...(loadLinks && { loadLinks: (load) => loadLinks.call(inner, load) }),
    supports: inner.supports,
    open: () => inner.open(),
    close: () => inner.close(),
    snapshot: (options) => inner.snapshot(options),
    transact(work, options) {
      const written = inner.transact(async (transaction) => {
        const result = await work(transaction);
        const mark = pending();
        if (mark !== undefined) await transaction.setMeta(mark.name, mark.value);
        staged();
        return result;
      }, options);
      written.catch(failed);
      return written;
    },
    changes: (listener, after) => inner.changes(listener, after),
    latest: () => inner.latest(),
    metaNames: (request) => inner.metaNames(request),
    deployed: () => inner.deployed(),
    deploys: (listener) => inner.deploys(listener),
    compare: (layout, options) => inner.compare(layout, options),
    migrate: (layout, document, options) => inner.migrate(layout, document, options),
    erase: (what) => inner.erase(what),
    verify: (options) => inner.verify(options),
    statistics: () => inner.statistics(),
  };
}

function isMark(value: Json): value is { offset: number; lines: number; hash: string; linked: Json; bad: number } {
  return isPosition(value) && "linked" in value && "bad" in value && typeof value.bad === "number";
}

function isPosition(value: unknown): value is Position {
  if (typeof value !== "object" || value === null || !("offset" in value && "lines" in value && "hash" in value)) return false;
  return typeof value.offset === "number" && typeof value.lines === "number" && typeof value.hash === "string";
}

function plain({ offset, lines, hash }: Position): { offset: number; lines: number; hash: string } {
  return { offset, lines, hash };
}
