// How much memory what a transaction has written takes, roughly.

import type { Applied } from "../write/draft.ts";
import type { Operation } from "../write/operations.ts";

const bytesOfOperation = 200;

export function weightOf(steps: readonly Applied[]): number {
  let bytes = 0;
  for (const { operations } of steps) for (const operation of operations) bytes += bytesOfOperation + bytesOf(operation);
  return bytes;
}

function bytesOf(operation: Operation): number {
  if (operation.kind === "clear") return 8 * operation.fields.length;
  if (operation.kind !== "value") return 0;
  const { value } = operation;
  if (typeof value === "string") return 2 * value.length;
  return value instanceof Float32Array ? value.byteLength : typeof value === "object" ? 2 * JSON.stringify(value).length : 0;
}
