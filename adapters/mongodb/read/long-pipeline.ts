// Whether a pipeline takes long to encode.

import type { Document } from "mongodb";

/** Operands, operators and the like that are encoded in less than two milliseconds. */
const most = 2_000;

export function isLong(pipeline: readonly Document[]): boolean {
  return left(most, pipeline) < 0;
}

function left(room: number, value: unknown): number {
  if (Array.isArray(value)) return leftAfter(room, value);
  return typeof value === "object" && value !== null ? leftAfter(room, Object.values(value)) : room;
}

function leftAfter(room: number, members: readonly unknown[]): number {
  let rest = room - members.length;
  for (let i = 0; i < members.length && rest >= 0; i++) rest = left(rest, members[i]);
  return rest;
}
