// Who sends a request, as far as its connection and headers show: a known API key, or an address.

import { BlockList, isIP } from "node:net";
import { LRUCache } from "lru-cache";
import type { GraphQLRequest } from "../../../core/index.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import { parseAllowEntry } from "../config/allow-list.ts";
import { plainAddress } from "../http/this-machine.ts";
import type { ApiKeys } from "./api-keys.ts";

export interface CallerNamesOptions {
  readonly keys: ApiKeys;
  /** Addresses, CIDR blocks and ranges of proxies whose `X-Forwarded-For` counts. */
  readonly trustProxy: readonly string[];
}

/** What shows who sends a request. */
export interface Sender {
  readonly headers: HttpRequest["headers"];
  readonly remoteAddress?: string | undefined;
}

/** Addresses whose names are kept: each request asks for one. */
const maxKnown = 10_000;

export class CallerNames {
  readonly #keys: ApiKeys;
  readonly #proxies = new BlockList();
  readonly #trustsProxies: boolean;
  readonly #byAddress = new LRUCache<string, { readonly of: GraphQLRequest["caller"] }>({ max: maxKnown });

  constructor({ keys, trustProxy }: CallerNamesOptions) {
    this.#keys = keys;
    this.#trustsProxies = trustProxy.length > 0;
    for (const each of trustProxy) addProxy(this.#proxies, each);
  }

  /** Undefined: nothing is known, as on a Unix socket. */
  of(sender: Sender): GraphQLRequest["caller"] {
    const key = this.#keys.nameOf(sender);
    if (key !== undefined) return { kind: "key", name: key };
    return this.#trustsProxies ? addressCaller(this.addressOf(sender)) : this.#known(sender.remoteAddress ?? "");
  }

  #known(address: string): GraphQLRequest["caller"] {
    const known = this.#byAddress.get(address);
    if (known !== undefined) return known.of;
    const named = { of: addressCaller(this.addressOf({ headers: {}, remoteAddress: address })) };
    this.#byAddress.set(address, named);
    return named.of;
  }

  /** The last address that no trusted proxy has: what is before it, anybody may have written. Undefined: unknown. */
  addressOf({ headers, remoteAddress = "" }: Sender): string | undefined {
    const hops = (headers["x-forwarded-for"] ?? "").split(",").map(hopAddress);
    let address = plainAddress(remoteAddress);
    while (this.#isProxy(address)) {
      const before = hops.pop();
      if (before === undefined || isIP(before) === 0) break;
      address = before;
    }
    return isIP(address) === 0 ? undefined : address;
  }

  #isProxy(address: string): boolean {
    return isIP(address) !== 0 && this.#proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }
}

function addressCaller(address: string | undefined): GraphQLRequest["caller"] {
  return address === undefined ? undefined : { kind: "address", name: networkOf(address) };
}

/** Entries that name a host are refused with the configuration. */
function addProxy(list: BlockList, text: string): void {
  const entry = parseAllowEntry(text);
  if (entry.kind === "address") list.addAddress(entry.address, isIP(entry.address) === 6 ? "ipv6" : "ipv4");
  if (entry.kind === "block") list.addSubnet(entry.address, entry.bits, isIP(entry.address) === 6 ? "ipv6" : "ipv4");
  if (entry.kind === "range") list.addRange(entry.from, entry.to, isIP(entry.from) === 6 ? "ipv6" : "ipv4");
}

/** Without port and brackets: `[2001:db8::1]:443`, `192.0.2.7:443`. */
function hopAddress(hop: string): string {
  const text = hop.trim();
  const [, address = text] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? [];
  return plainAddress(address);
}

/** One client has 2^64 addresses of version 6: they are one caller. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const [first, last] = [groups(head), groups(tail)];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array.from({ length: Math.max(0, zeros) }, () => "0"), ...last];
  return `${all
    .slice(0, 4)
    .map((each) => Number.parseInt(each, 16).toString(16))
    .join(":")}::/64`;
}
