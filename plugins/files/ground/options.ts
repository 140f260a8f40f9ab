// How files are kept, and how much of everything.

import { assertNoProblems, checkOptions, isObject, type OptionKind, type OptionKinds } from "../../../core/plugin.ts";
import type { FileStore } from "../stores/file-store.ts";
import { filesAt } from "../stores/files-at.ts";

/** Options of `filesPlugin`. */
export interface FilesOptions {
  /** Where bytes are kept. Default: `filesAt(process.env.QUERN_FILES_AT)`, and without the variable `folderFiles({ path: "./files" })`. */
  readonly store?: FileStore | undefined;
  /** The most bytes of any file; `@file(maxBytes:)` may allow a field fewer. Default: 100,000,000. */
  readonly maxBytes?: number | undefined;
  /** How long an upload waits for the add or update that takes it, in milliseconds. Default: an hour. */
  readonly uploadsLastMs?: number | undefined;
  /** How long an address of a file works, at least, in milliseconds; at most twice as long. Default: five minutes. */
  readonly urlsLastMs?: number | undefined;
  /** Uploads at the same time, of all callers. Default: 64. */
  readonly maxUploadsAtOnce?: number | undefined;
  /** The same of one caller. Default: 8. */
  readonly maxUploadsAtOncePerCaller?: number | undefined;
  /** Uploads of one caller that wait to be taken. Default: 100. */
  readonly maxWaitingPerCaller?: number | undefined;
  /** Their bytes. Default: 1,000,000,000. */
  readonly maxWaitingBytesPerCaller?: number | undefined;
  /** Uploads of all callers that wait to be taken. Default: 10,000. */
  readonly maxWaiting?: number | undefined;
  /** Their bytes, with those that arrive. Default: 10,000,000,000. */
  readonly maxWaitingBytes?: number | undefined;
  /**
   * Widths of images that `url(width:)` gives, in pixels, ascending. It takes the next one that is at least as wide. Default: 160, 320, 480, 640, 960, 1280, 1920, 2560.
   */
  readonly imageWidths?: readonly number[] | undefined;
  /** The most pixels of an image that is shown in other widths. Default: 50,000,000. */
  readonly maxImagePixels?: number | undefined;
  /** What addresses of files begin with, such as `https://files.example`. Default: nothing: they are paths of the server that gives them. */
  readonly baseUrl?: string | undefined;
}

/** The options with their defaults. */
export type FilesSettings = { readonly [name in keyof FilesOptions]-?: NonNullable<FilesOptions[name]> };

const defaults = {
  maxBytes: 100_000_000,
  uploadsLastMs: 3_600_000,
  urlsLastMs: 300_000,
  maxUploadsAtOnce: 64,
  maxUploadsAtOncePerCaller: 8,
  maxWaitingPerCaller: 100,
  maxWaitingBytesPerCaller: 1_000_000_000,
  maxWaiting: 10_000,
  maxWaitingBytes: 10_000_000_000,
  imageWidths: [160, 320, 480, 640, 960, 1280, 1920, 2560],
  maxImagePixels: 50_000_000,
  baseUrl: "",
} as const;

const count: OptionKind = { fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1, expected: "a whole number, at least 1" };
const milliseconds: OptionKind = { fits: count.fits, expected: "a whole number of milliseconds" };

/** A bound of WebP. */
const widestImage = 16_383;

function areWidths(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > 32) return false;
  return value.every((each, i) => count.fits(each) && each <= widestImage && (i === 0 || each > value[i - 1]));
}

const storeMembers = ["write", "read", "size", "remove", "list"];

const kinds: OptionKinds<FilesOptions> = {
  store: {
    fits: (value) => isObject(value) && storeMembers.every((name) => typeof value[name] === "function"),
    expected: 'a store of files, such as folderFiles({ path: "./files" })',
  },
  maxBytes: count,
  uploadsLastMs: milliseconds,
  urlsLastMs: milliseconds,
  maxUploadsAtOnce: count,
  maxUploadsAtOncePerCaller: count,
  maxWaitingPerCaller: count,
  maxWaitingBytesPerCaller: count,
  maxWaiting: count,
  maxWaitingBytes: count,
  imageWidths: { fits: areWidths, expected: `up to 32 ascending widths from 1 to ${widestImage}, such as [320, 640, 1280]` },
  maxImagePixels: count,
  baseUrl: {
    fits: (value) => typeof value === "string" && /^https?:\/\//iu.test(value) && URL.canParse(value),
    expected: "a URL that begins with http:// or https://",
  },
};

/** @throws QuernError `CONFIG_INVALID` */
export function filesSettings(options: FilesOptions): FilesSettings {
  assertNoProblems(checkOptions({ ...options }, kinds, { place: "filesPlugin", required: [] }));
  const { store = filesAt(process.env.QUERN_FILES_AT || "./files"), ...others } = options;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return { ...defaults, ...given, store };
}
