// Who may call the admin paths: with a token whoever has it, with a list the addresses on it, with neither this machine alone.

import { timingSafeEqual } from "node:crypto";
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { type AllowEntry, parseAllowEntry } from "../config/allow-list.ts";
import type { AdminConfig } from "../config/config.ts";
import type { HttpRequest } from "../contracts/transport.ts";
import type { Log } from "../observe/log.ts";
import type { ApiKeys } from "./api-keys.ts";
import { digest } from "./digest.ts";

type Caller = Pick<HttpRequest, "headers" | "remoteAddress">;

export class AdminGuard {
  readonly #token: Buffer | undefined;
  readonly #keys: ApiKeys;
  readonly #listed = new BlockList();
  readonly #hasList: boolean;
  readonly #drop: boolean | undefined;

  constructor(admin: AdminConfig, keys: ApiKeys, log: Log) {
    this.#keys = keys;
    this.#token = admin.token === undefined ? undefined : digest(admin.token);
    this.#hasList = (admin.allow ?? []).length > 0;
    this.#drop = admin.drop;
    for (const entry of admin.allow ?? []) allow(this.#listed, parseAllowEntry(entry), log);
  }

  /** False when a token is asked for and the request has another one, or none, and no admin key either. */
  hasToken(caller: Caller): boolean {
    if (this.#token === undefined) return true;
    const sent = caller.headers["x-service-authtoken"] ?? caller.headers["x-dgraph-authtoken"] ?? "";
    const isToken = timingSafeEqual(digest(sent), this.#token);
    return this.#keys.isAdmin(caller) || isToken;
  }

  /** Why the token does not fit, in the words of the paths that are not the administration's own; undefined: it does, or none is asked for. */
  tokenProblem(caller: Caller): string | undefined {
    if (this.hasToken(caller)) return undefined;
    const sent = caller.headers["x-service-authtoken"] ?? caller.headers["x-dgraph-authtoken"] ?? "";
    return sent === "" ? "No Auth Token found. Token needed for Admin operations." : "Provided auth token does not match. Permission denied.";
  }

  /** Whether the caller's address may administrate. Where a token is asked for and no list is given, every address may. */
  hasAddress(caller: Caller): boolean {
    if (isLocal(caller)) return true;
    if (!this.#hasList) return this.#token !== undefined;
    const address = plainAddress(caller.remoteAddress ?? "");
    return isIP(address) !== 0 && this.#listed.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }

  /** Why the caller's address may not administrate; undefined: it may. */
  addressProblem(caller: Caller): string | undefined {
    return this.hasAddress(caller) ? undefined : `unauthorized ip address: ${caller.remoteAddress ?? "unknown"}`;
  }

  /** Whether the request may see anything at all: where no anonymous requests are taken, it needs a key. */
  admits(caller: Caller): boolean {
    return this.#keys.admits(caller);
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

/** The configuration was checked before. A host that is not found, or not yet, may not do anything. */
function allow(list: BlockList, entry: AllowEntry | { readonly kind: "invalid" }, log: Log): void {
  switch (entry.kind) {
    case "address":
      list.addAddress(entry.address, familyOf(entry.address));
      break;
    case "block":
      list.addSubnet(entry.address, entry.bits, familyOf(entry.address));
      break;
    case "range":
      list.addRange(entry.from, entry.to, familyOf(entry.from));
      break;
    case "host":
      void allowHost(list, entry.name, log);
      break;
    case "invalid":
  }
}

async function allowHost(list: BlockList, name: string, log: Log): Promise<void> {
  try {
    for (const { address } of await lookup(name, { all: true })) list.addAddress(address, familyOf(address));
  } catch (thrown) {
    log.warn("config", `admin.allow: ${name} is not found, so nobody is let in by it: ${String(thrown)}`);
  }
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
