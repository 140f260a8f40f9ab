// Lists of addresses, ranges of addresses, and host names.

import { BlockList, isIP } from "node:net";

/** An address, a range such as `10.0.0.0/8`, or a host name. */
export function isAddressPattern(text: string): boolean {
  return rangeOf(text) !== undefined || /^(?!-)[a-z0-9._-]+$/iu.test(text);
}

export class AddressList {
  readonly #ranges = new BlockList();
  readonly #names = new Set<string>();

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) this.#add(pattern);
  }

  hasName(host: string): boolean {
    return this.#names.has(host.toLowerCase());
  }

  hasAddress(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#ranges.check(address, family === 4 ? "ipv4" : "ipv6");
  }

  #add(pattern: string): void {
    const range = rangeOf(pattern);
    if (range) this.#ranges.addSubnet(range.address, range.bits, range.family);
    else this.#names.add(pattern.toLowerCase());
  }
}

interface Range {
  readonly address: string;
  readonly bits: number;
  readonly family: "ipv4" | "ipv6";
}

function rangeOf(text: string): Range | undefined {
  const [address = "", size, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  const bits = size === undefined ? longest : /^\d+$/u.test(size) ? Number(size) : -1;
  return bits < 0 || bits > longest ? undefined : { address, bits, family: version === 4 ? "ipv4" : "ipv6" };
}
