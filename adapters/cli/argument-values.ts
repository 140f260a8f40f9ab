// Reads the values of options. A wrong one is refused with what a right one looks like.

import { InvalidArgumentError } from "commander";

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("A number is a whole number from 1 on.");
  return Number(text);
}

/** Adds a header to those `before`. */
export function parseHeader(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('A header has a name and a value, such as "X-My-App: TOKEN".');
  return { ...before, [name.toLowerCase()]: value };
}

export function parseNamespace(text: string): number {
  if (!/^(?:0x[0-9a-f]{1,13}|\d{1,15})$/i.test(text)) throw new InvalidArgumentError("A namespace is a whole number, such as 0x1.");
  return Number(text);
}

export function parseUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw new InvalidArgumentError("An address begins with http:// or https://.");
  return text;
}

export function parseLife(text: string): string {
  if (!/^[1-9]\d{0,5}[smhd]$/.test(text)) throw new InvalidArgumentError("A time is a whole number with s, m, h or d, such as 20m.");
  return text;
}

export function parseThreads(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError("A number of threads is a whole number from 0 to 999.");
  return Number(text);
}

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
  return Number(text);
}
