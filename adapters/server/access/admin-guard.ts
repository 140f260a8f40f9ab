// Who may call the admin paths: whoever has the admin token or an admin key, from an address on the list where there is one.

import { timingSafeEqual } from "node:crypto";
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import type { HttpRequest, Log } from "../../../core/index.ts";
import { type AllowEntry, parseAllowEntry } from "../config/allow-list.ts";
import type { AdminConfig } from "../config/config.ts";
import type { ApiKeys } from "./api-keys.ts";
import { digest } from "./digest.ts";
import { type Caller, hasLoopbackPeer, isFromThisMachine, plainAddress } from "./this-machine.ts";

export class AdminGuard {
  readonly #tokens: readonly Buffer[];
  readonly #keys: ApiKeys;
  readonly #open: boolean;
  readonly #origins: readonly string[];
  readonly #listed = new BlockList();
  readonly #hasList: boolean;
  readonly #drop: boolean | undefined;

  constructor(admin: AdminConfig, keys: ApiKeys, log: Log) {
    this.#keys = keys;
    this.#tokens = [admin.token ?? []].flat().map(digest);
    this.#open = admin.open === "loopback";
    this.#origins = admin.origins ?? [];
    this.#hasList = (admin.allow ?? []).length > 0;
    this.#drop = admin.drop;
    for (const entry of admin.allow ?? []) allow(this.#listed, parseAllowEntry(entry), log);
  }

  /** Whether the request carries the admin token or an admin key, or needs neither. */
  hasToken(caller: Caller): boolean {
    return this.hasSecret(caller) || this.#isOpenTo(caller);
  }

  /** Whether the request carries the admin token or an admin key. */
  hasSecret(request: Pick<HttpRequest, "headers">): boolean {
    const sent = digest(sentToken(request));
    // Compares with each, so that the time says nothing.
    const fitting = this.#tokens.filter((token) => timingSafeEqual(sent, token));
    return this.#keys.isAdmin(request) || fitting.length > 0;
  }

  /** Why the token does not fit, in the words of the paths that are not the administration's own; undefined: it does, or none is needed. */
  tokenProblem(caller: Caller): string | undefined {
    if (this.hasToken(caller)) return undefined;
    return sentToken(caller) === ""
      ? "No Auth Token found. Token needed for Admin operations."
      : "Provided auth token does not match. Permission denied.";
  }

  /** Whether the caller's address may administrate. Without a list every address may. */
  hasAddress(caller: Caller): boolean {
    if (!this.#hasList || hasLoopbackPeer(caller)) return true;
    const address = plainAddress(caller.remoteAddress ?? "");
    return isIP(address) !== 0 && this.#listed.check(address, familyOf(address));
  }

  /** Why the caller's address may not administrate; undefined: it may. */
  addressProblem(caller: Caller): string | undefined {
    return this.hasAddress(caller) ? undefined : `unauthorized ip address: ${caller.remoteAddress ?? "unknown"}`;
  }

  /** Dropping data is a power for development: unless configured, only this machine has it. */
  mayDrop(caller: Caller): boolean {
    return this.#drop ?? isFromThisMachine(caller, this.#origins);
  }

  /** A request with a key is made for somebody; a key that is no admin's does not open what nobody had to open. */
  #isOpenTo(caller: Caller): boolean {
    return this.#open && caller.headers["x-auth-token"] === undefined && isFromThisMachine(caller, this.#origins);
  }
}

function sentToken({ headers }: Pick<HttpRequest, "headers">): string {
  return headers["x-service-authtoken"] ?? headers["x-dgraph-authtoken"] ?? "";
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
