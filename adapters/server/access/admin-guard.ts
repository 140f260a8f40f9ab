// Authorizes callers of the admin paths: they need the admin token or an admin key, and an address on the list `admin.allow`, where there is one.

import { timingSafeEqual } from "node:crypto";
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import type { Log } from "../../../core/index.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import { type AllowEntry, parseAllowEntry } from "../config/allow-list.ts";
import type { AdminConfig } from "../config/config.ts";
import { type Caller, hasLoopbackPeer, isFromThisMachine, plainAddress } from "../http/this-machine.ts";
import type { ApiKeys } from "./api-keys.ts";
import { digest } from "./digest.ts";

export interface AdminGuardOptions {
  readonly keys: ApiKeys;
  readonly log: Log;
  /** A plugin checks administrators: then they need the admin token only if there is one. Default: false. */
  readonly hasAccessControl?: boolean;
}

export class AdminGuard {
  readonly #tokens: readonly Buffer[];
  readonly #keys: ApiKeys;
  readonly #open: boolean;
  readonly #origins: readonly string[];
  readonly #listed = new BlockList();
  readonly #hasList: boolean;
  readonly #drop: boolean | undefined;
  readonly #needsToken: boolean;

  constructor(admin: AdminConfig, { keys, log, hasAccessControl = false }: AdminGuardOptions) {
    this.#keys = keys;
    this.#tokens = [admin.token ?? []].flat().map(digest);
    this.#needsToken = !hasAccessControl || this.#tokens.length > 0;
    this.#open = admin.open === "loopback";
    this.#origins = admin.origins ?? [];
    this.#hasList = (admin.allow ?? []).length > 0;
    this.#drop = admin.drop;
    for (const entry of admin.allow ?? []) addEntry(this.#listed, parseAllowEntry(entry), log);
  }

  /** Whether the request carries the admin token or an admin key, or needs neither. */
  hasToken(caller: Caller): boolean {
    return !this.#needsToken || this.hasSecret(caller) || this.#isOpenTo(caller);
  }

  /** Whether the request carries the admin token or an admin key. */
  hasSecret(request: Pick<HttpRequest, "headers">): boolean {
    const sent = digest(sentToken(request));
    // Compares with every token, so that the time does not show which one matched.
    const fitting = this.#tokens.filter((token) => timingSafeEqual(sent, token));
    return this.#keys.isAdmin(request) || fitting.length > 0;
  }

  /** Why the token is refused, in the words of the paths outside `/admin`; undefined: it is right, or none is needed. */
  tokenProblem(caller: Caller): string | undefined {
    if (this.hasToken(caller)) return undefined;
    return sentToken(caller) === ""
      ? "No Auth Token found. Token needed for Admin operations."
      : "Provided auth token does not match. Permission denied.";
  }

  /** Whether the caller's address is allowed. Without a list every address is. */
  hasAddress(caller: Caller): boolean {
    if (!this.#hasList || hasLoopbackPeer(caller)) return true;
    const address = plainAddress(caller.remoteAddress ?? "");
    return isIP(address) !== 0 && this.#listed.check(address, familyOf(address));
  }

  /** Why the caller's address is refused; undefined: it is allowed. */
  addressProblem(caller: Caller): string | undefined {
    return this.hasAddress(caller) ? undefined : `unauthorized ip address: ${caller.remoteAddress ?? "unknown"}`;
  }

  /** Whether the caller may drop data: as configured; by default only from this machine, because dropping is for development. */
  mayDrop(caller: Caller): boolean {
    return this.#drop ?? isFromThisMachine(caller, this.#origins);
  }

  /** A request with a client's key acts for that client, so that `admin.open` does not apply to it. */
  #isOpenTo(caller: Caller): boolean {
    return this.#open && caller.headers["x-auth-token"] === undefined && isFromThisMachine(caller, this.#origins);
  }
}

function sentToken({ headers }: Pick<HttpRequest, "headers">): string {
  return headers["x-service-authtoken"] ?? headers["x-dgraph-authtoken"] ?? "";
}

/** Adds a checked entry. A host name allows nothing until it is resolved. */
function addEntry(list: BlockList, entry: AllowEntry | { readonly kind: "invalid" }, log: Log): void {
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
      void addHost(list, entry.name, log);
      break;
    case "invalid":
  }
}

async function addHost(list: BlockList, name: string, log: Log): Promise<void> {
  try {
    for (const { address } of await lookup(name, { all: true })) list.addAddress(address, familyOf(address));
  } catch (thrown) {
    log.warn("config", `admin.allow: ${name} cannot be resolved, so it allows no address: ${String(thrown)}`);
  }
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
