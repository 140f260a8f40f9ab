// Files of nodes: what is known of them, which of them are shown, and which ones a field takes.

import { at, type Json, textOf } from "../api/json.ts";
import type { FileBounds } from "./api-model.ts";

/** What is known of a file, whether a node has it or it was uploaded. */
export interface FileFacts {
  /** Empty: its sender has named none. */
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

export function factsOf(value: Json | undefined): FileFacts {
  return { name: textOf(at(value, "name")), type: textOf(at(value, "type")), bytes: Number(at(value, "bytes") ?? 0) };
}

/** What people call it. */
export function fileName(value: Json | undefined): string {
  const { name, type } = factsOf(value);
  return name === "" ? type : name;
}

/** `3.5 MB` */
export function sizeText(bytes: number): string {
  const unit = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const digits = { maximumFractionDigits: unit === 0 ? 0 : 1 };
  return `${(bytes / 1_000 ** unit).toLocaleString(undefined, digits)} ${["bytes", "kB", "MB"][unit]}`;
}

/** Of the server, by `http` alone. Undefined: there is none. @param base where the paths of the server begin */
export function fileAddress(value: Json | undefined, base: string): URL | undefined {
  const text = textOf(at(value, "url"));
  if (text === "") return undefined;
  // A path of the server, which may be behind a prefix.
  const address = new URL(text.replace(/^\//u, ""), base);
  return /^https?:$/u.test(address.protocol) ? address : undefined;
}

/** Images of pixels. An SVG is a program: it is downloaded. */
const pictures: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);
const mostShownBytes = 20_000_000;
const mostShownPixels = 50_000_000;

/** Whether it is drawn: an image, not too large for a page, which the page may ask for. */
export function isPicture(value: Json | undefined, address: URL, base: string): boolean {
  const { type, bytes } = factsOf(value);
  const pixels = Number(at(value, "width") ?? 0) * Number(at(value, "height") ?? 0);
  return address.origin === new URL(base).origin && pictures.has(type) && bytes <= mostShownBytes && pixels <= mostShownPixels;
}

/** Why the field does not take it; empty: it does, as far as this page knows. */
export function fileProblem({ type, bytes }: Pick<FileFacts, "type" | "bytes">, { maxBytes, types }: FileBounds): string {
  if (maxBytes !== undefined && bytes > maxBytes) return `The file has ${sizeText(bytes)}, and may have ${sizeText(maxBytes)}.`;
  if (types === undefined || types.some((pattern) => fits(pattern, type))) return "";
  return `The file is ${type === "" ? "of no known type" : type}, and may be ${types.join(", ")}.`;
}

function fits(pattern: string, type: string): boolean {
  if (pattern === type) return true;
  return pattern.endsWith("/*") && type.startsWith(pattern.slice(0, -1)) && !type.endsWith("xml");
}

/** `up to 5 MB, image/*`; empty: any file. */
export function boundsText({ maxBytes, types }: FileBounds): string {
  return [...(maxBytes === undefined ? [] : [`up to ${sizeText(maxBytes)}`]), ...(types ?? [])].join(", ");
}
