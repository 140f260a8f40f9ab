// When a block of an ordered index is split.

import type { Block } from "./index-blocks.ts";

const maxEntries = 512;
/** Blocks of long texts are split earlier. */
const maxTextUnits = 1 << 15;
/** Blocks are split in halves, which grow again. */
export const averageEntries = maxEntries * 0.75;

export function isFull(block: Block): boolean {
  if (block.uids.length > maxEntries) return true;
  if (typeof block.keys[0] !== "string" || block.keys.length < 2) return false;
  let units = 0;
  for (const key of block.keys) if (typeof key === "string") units += key.length;
  return units > maxTextUnits;
}
