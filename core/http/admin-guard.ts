// Who may call the admin paths: with a token whoever has it, with a list the addresses on it, with neither this machine alone.

import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";
import type { AdminConfig } from "../config/config.ts";
import type { HttpRequest } from "../contracts/transport.ts";

type Caller = Pick<HttpRequest, "headers" | "remoteAddress">;

export class AdminGuard {
  readonly #token: Buffer | undefined;
  readonly #listed = new BlockList();
  readonly #hasList: boolean;
  readonly #drop: boolean | undefined;

  constructor(admin: AdminConfig) {
    this.#token = admin.token === undefined ? undefined : digest(admin.token);
    this.#hasList = (admin.allow ?? []).length > 0;
    this.#drop = admin.drop;
    for (const entry of admin.allow ?? []) allowAddress(this.#listed, entry);
  }

  /** False when a token is asked for and the request has another one, or none. */
  hasToken(caller: Caller): boolean {
    if (this.#token === undefined) return true;
    const sent = caller.headers["x-service-authtoken"] ?? caller.headers["x-dgraph-authtoken"] ?? "";
    return timingSafeEqual(digest(sent), this.#token);
  }

  /** Whether the caller's address may administrate. Where a token is asked for and no list is given, every address may. */
  hasAddress(caller: Caller): boolean {
    if (isLocal(caller)) return true;
    if (!this.#hasList) return this.#token !== undefined;
    const address = plainAddress(caller.remoteAddress ?? "");
    return isIP(address) !== 0 && this.#listed.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }

  /** Dropping data is a power for development: unless configured, only this machine has it. */
  mayDrop(caller: Caller): boolean {
    return this.#drop ?? isLocal(caller);
  }
}

/** Sent by a process on this machine, on its own behalf: what a proxy passes on came from elsewhere. */
function isLocal({ headers, remoteAddress }: Caller): boolean {
  if (remoteAddress === undefined) return true;
  if (headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined || headers["x-real-ip"] !== undefined) return false;
  const address = plainAddress(remoteAddress);
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

/** An IPv4 address that came over an IPv6 socket is an IPv4 address. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** `10.0.0.7` or `10.0.0.0/8`; the configuration was checked before. */
function allowAddress(list: BlockList, entry: string): void {
  const [address = "", bits] = entry.split("/");
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

/** Of equal length whatever the token, so that comparing tells nothing about it. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
