// The header `Range`: one part of a file.

import type { ByteRange } from "../stores/file-store.ts";

/** The part that is asked for. `whole`: all of it, also where several parts are asked for, which the specification allows. `none`: there is no such part. */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | "whole" | "none" {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/u.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return "whole";
  const [start, end] =
    first === "" ? [Math.max(0, bytes - Number(last)), bytes] : [Number(first), last === "" ? bytes : Math.min(bytes, Number(last) + 1)];
  if (first !== "" && last !== "" && Number(last) < start) return "whole";
  return start < end ? { start, end } : "none";
}
