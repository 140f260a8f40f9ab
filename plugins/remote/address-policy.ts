// Which addresses may be asked. A schema names hosts; a name may lead anywhere, and a redirect too. So the address itself is judged, after each
// look-up.

import { AddressList } from "./address-list.ts";

/** Link-local addresses, where clouds serve the credentials of a machine, and addresses that are no host. Never asked. */
const never = new AddressList([
  "0.0.0.0/8",
  "169.254.0.0/16",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/128",
  "fe80::/10",
  "fd00:ec2::254",
  "fd20:ce::254",
  "ff00::/8",
  // The same IPv4 addresses within those of NAT64 and 6to4.
  "64:ff9b::a9fe:0/112",
  "64:ff9b::6464:64c8",
  "64:ff9b::a83f:8110",
  "64:ff9b::c000:c0",
  "2002:a9fe::/32",
]);

const privateRanges = new AddressList([
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "::1",
  "fc00::/7",
  "fec0::/10",
]);

const loopback = new AddressList(["127.0.0.0/8", "::1"]);

/** Whether a server that listens at `host` can be reached from its own machine alone. */
function isLoopback(host: string): boolean {
  return /^localhost\.?$/iu.test(host) || loopback.hasAddress(host);
}

/** Addresses that carry an IPv4 address within: NAT64 and 6to4. */
const translated = /^(?:64:ff9b:(?::|1:)|2002:)/iu;

/** Addresses that are permitted, and those that are not. */
export interface PolicyOptions {
  /** Asked although loopback or private. */
  readonly allow: readonly string[];
  /** Never asked; goes before `allow`. */
  readonly deny: readonly string[];
  /** Whether loopback and private addresses may be asked. Default: only while the server itself can be reached from its own machine alone. */
  readonly privateAddresses?: boolean | undefined;
}

/** Which addresses a server may send requests to. Link-local and metadata addresses are never permitted. */
export class AddressPolicy {
  readonly #allowed: AddressList;
  readonly #denied: AddressList;
  readonly #privateAddresses: boolean | undefined;
  #isReachable = false;

  constructor({ allow, deny, privateAddresses }: PolicyOptions) {
    this.#allowed = new AddressList(allow);
    this.#denied = new AddressList(deny);
    this.#privateAddresses = privateAddresses;
  }

  /** The server listens at `host`. Those who reach it from elsewhere must not reach this machine and its network through it. */
  servedAt(host: string): void {
    this.#isReachable ||= !isLoopback(host);
  }

  /** @param host as the URL names it: a name, or the address itself */
  permits(host: string, address: string): boolean {
    if (never.hasAddress(address) || this.#denied.hasName(host) || this.#denied.hasAddress(address)) return false;
    if (this.#allowed.hasName(host) || this.#allowed.hasAddress(address)) return true;
    return (this.#privateAddresses ?? !this.#isReachable) || !(privateRanges.hasAddress(address) || translated.test(address));
  }
}
