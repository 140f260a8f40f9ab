// Parses entries of `admin.allow`: an address, a CIDR block, a range `10.0.0.1:10.0.0.9`, or a host name.

import { BlockList, isIP } from "node:net";

export type AllowEntry =
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "block"; readonly address: string; readonly bits: number }
  | { readonly kind: "range"; readonly from: string; readonly to: string }
  | { readonly kind: "host"; readonly name: string };

/** The entry, or what is wrong with it. */
export function parseAllowEntry(text: string): AllowEntry | { readonly kind: "invalid"; readonly problem: string } {
  if (isIP(text) !== 0) return { kind: "address", address: text };
  if (text.includes("/")) return block(text);
  if (text.includes(":")) return range(text);
  return isHostName(text) ? { kind: "host", name: text } : invalid("IP address or hostname", text);
}

function block(text: string): ReturnType<typeof parseAllowEntry> {
  const [address = "", bits = "", ...rest] = text.split("/");
  const family = isIP(address);
  const fits = family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return fits ? { kind: "block", address, bits: Number(bits) } : invalid("CIDR block", text);
}

/** A range; IPv6 addresses in brackets: `[2001:db8::1]:[2001:db8::9]`. */
function range(text: string): ReturnType<typeof parseAllowEntry> {
  const parts = text.startsWith("[") ? (/^\[(.*)\]:\[(.*)\]$/u.exec(text)?.slice(1) ?? [text]) : text.split(":");
  const [from, to, ...rest] = parts;
  if (from === undefined || to === undefined || rest.length > 0) return invalid("IP address range", text);
  const wrong = [from, to].find((each) => isIP(each) === 0);
  if (wrong !== undefined) return invalid("IP address", wrong);
  if (isIP(from) !== isIP(to)) return invalid("IP address range", text);
  return isAscending(from, to) ? { kind: "range", from, to } : { kind: "invalid", problem: `inverted IP address range: ${text}` };
}

function isAscending(from: string, to: string): boolean {
  try {
    new BlockList().addRange(from, to, isIP(from) === 6 ? "ipv6" : "ipv4");
    return true;
  } catch {
    return false;
  }
}

/** A host name has a letter; digits and dots alone were meant as an address. */
function isHostName(text: string): boolean {
  return text.length <= 253 && /[a-z]/i.test(text) && text.split(".").every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
}

function invalid(what: string, text: string): { readonly kind: "invalid"; readonly problem: string } {
  return { kind: "invalid", problem: `invalid ${what}: ${text}` };
}
