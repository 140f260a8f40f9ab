// A process that holds 128 MiB of texts for a while, with other allocations between them, and prints its resident memory in MiB.

import { mappedBytes } from "../../../core/ground/json/mapped-bytes.ts";

/** Resident memory of the process. */
export interface Resident {
  readonly before: number;
  readonly held: number;
  /** When the texts are dropped and collected. */
  readonly after: number;
}

const resident = () => process.memoryUsage.rss() / 2 ** 20;

function hold(others: Uint8Array[]): number {
  const text = "x".repeat(64 << 10);
  const texts: Uint8Array[] = [];
  for (let i = 0; i < 2_048; i++) {
    texts.push(mappedBytes(text));
    if (i % 8 === 0) others.push(new Uint8Array(5_000));
  }
  return texts.length > 0 ? resident() : 0;
}

const others: Uint8Array[] = [];
const before = resident();
const held = hold(others);
global.gc?.();
await new Promise((resolve) => setTimeout(resolve, 200));
global.gc?.();
const measured: Resident = { before, held, after: resident() };
console.log(JSON.stringify(measured));
