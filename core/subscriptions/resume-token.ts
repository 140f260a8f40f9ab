// `extensions.resume`: which data a client has seen, and as of which commit. All that a server has to know of a client that comes back.

import { createHash } from "node:crypto";
import type { CommitToken } from "../ground/values/value.ts";

export interface Seen {
  readonly commit: CommitToken;
  /** Of the data's text. */
  readonly hash: string;
}

const hashLength = 22;

/** 128 bits: two answers that differ do not look equal. */
export function hashOf(data: string): string {
  return createHash("sha256").update(data).digest("base64url").slice(0, hashLength);
}

export function writeResume({ commit, hash }: Seen): string {
  return hash + Buffer.from(commit, "utf8").toString("base64url");
}

/** Undefined for what never was a token: the client then gets a result, as if it had none. */
export function readResume(text: string): Seen | undefined {
  if (!/^[\w-]{23,200}$/.test(text)) return undefined;
  const commit = Buffer.from(text.slice(hashLength), "base64url").toString("utf8");
  return { hash: text.slice(0, hashLength), commit };
}
