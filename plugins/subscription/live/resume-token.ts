// `extensions.resume`: the data that a client has, as a hash, and the commit they reflect. A server keeps nothing else of a client that reconnects.

import { hash } from "node:crypto";
import type { CommitToken } from "../../../core/plugin.ts";

export interface Seen {
  readonly commit: CommitToken;
  /** Of the serialized data. */
  readonly hash: string;
}

const hashLength = 22;

/** 128 bits, so that different answers do not collide. */
export function hashOf(data: string): string {
  return hash("sha256", data, "base64url").slice(0, hashLength);
}

export function writeResume({ commit, hash }: Seen): string {
  return hash + Buffer.from(commit, "utf8").toString("base64url");
}

/** Whether the data with this hash are those of a token. */
export function isOf(token: string | undefined, hash: string): boolean {
  return token?.startsWith(hash) === true && readResume(token)?.hash === hash;
}

/** Undefined: not a token; the client gets a result as if it had sent none. */
export function readResume(text: string): Seen | undefined {
  if (!/^[\w-]{23,200}$/.test(text)) return undefined;
  const commit = Buffer.from(text.slice(hashLength), "base64url").toString("utf8");
  return { hash: text.slice(0, hashLength), commit };
}
