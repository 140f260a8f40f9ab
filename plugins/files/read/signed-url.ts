// Addresses of files: signed, and good for a few minutes. Who may read the field at a moment gets one; who has one needs no other right.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Uid } from "../../../core/plugin.ts";

/** What an address is for. */
export interface Signed {
  readonly uid: Uid;
  /** Until when it works, in milliseconds since 1970. */
  readonly expires: number;
  /** Of the image in pixels. Undefined: the file as it was sent. */
  readonly width?: number | undefined;
}

export interface SigningOptions {
  readonly secret: string;
  /** Where the bytes are: an address does not outlive them. */
  readonly key: string;
}

/**
 * The end of a period that lies at least one period ahead. All addresses of a file that are made within a period are equal, so browsers keep what they have loaded, and live
 * queries send nothing for them alone.
 */
export function expiryOf(now: number, periodMs: number): number {
  return (Math.floor(now / periodMs) + 2) * periodMs;
}

export function signedToken(signed: Signed, options: SigningOptions): string {
  return `${textOf(signed)}.${signature(signed, options)}`;
}

/** What a token claims to be; whether it is, `isGenuine` says. Undefined: it is none. */
export function readToken(token: string): (Signed & { readonly signature: string }) | undefined {
  const [, uid = "", expires = "", width, given = ""] = /^([0-9a-z]{1,11})\.([0-9a-z]{1,10})(?:\.([0-9a-z]{1,3}))?\.([\w-]{32})$/u.exec(token) ?? [];
  if (given === "") return undefined;
  const signed = { uid: Number.parseInt(uid, 36), expires: Number.parseInt(expires, 36), signature: given };
  return width === undefined ? signed : { ...signed, width: Number.parseInt(width, 36) };
}

export function isGenuine({ signature: given, ...signed }: Signed & { readonly signature: string }, options: SigningOptions): boolean {
  const expected = Buffer.from(signature(signed, options));
  const found = Buffer.from(given);
  return found.byteLength === expected.byteLength && timingSafeEqual(found, expected);
}

function textOf({ uid, expires, width }: Signed): string {
  return [uid, expires, ...(width === undefined ? [] : [width])].map((each) => each.toString(36)).join(".");
}

function signature(signed: Signed, { secret, key }: SigningOptions): string {
  return createHmac("sha256", secret)
    .update(`${textOf(signed)} ${key}`)
    .digest("base64url")
    .slice(0, 32);
}
