// Lists of addresses, ranges of addresses, and host names.

import { BlockList, isIP } from "node:net";

/** An address, a range such as `10.0.0.0/8`, or a host name. */
export function isAddressPattern(text: string): boolean {
  return rangeOf(text) !== undefined || /^(?!-)[a-z0-9._-]+$/iu.test(text);
}

/** Reads its patterns when it is asked first: most servers ask no other, and the first look at an IPv6 address takes 4 ms of a start. */
export class AddressList {
  readonly #patterns: readonly string[];
  #read: Places | undefined;

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
  }

  hasName(host: string): boolean {
    return this.#places.names.has(host.toLowerCase());
  }

  hasAddress(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#places.ranges.check(address, family === 4 ? "ipv4" : "ipv6");
  }

  get #places(): Places {
    this.#read ??= placesOf(this.#patterns);
    return this.#read;
  }
}

interface Places {
  readonly ranges: BlockList;
  readonly names: ReadonlySet<string>;
}

function placesOf(patterns: readonly string[]): Places {
  const ranges = new BlockList();
  const names = new Set<string>();
  for (const pattern of patterns) {
    const range = rangeOf(pattern);
    if (range) ranges.addSubnet(range.address, range.bits, range.family);
    else names.add(pattern.toLowerCase());
  }
  return { ranges, names };
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
