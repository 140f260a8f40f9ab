// bcrypt for specs: `vitest.config.ts` puts it in the place of the package. A hash of the cost that servers use takes 50 ms of a core, and specs of
// access control make hundreds. Here each has the lowest cost, except in a test that calls `useFullCost`. The rest is the package.

import { createRequire } from "node:module";
import { onTestFinished } from "vitest";

const bcrypt: typeof import("bcrypt") = createRequire(import.meta.url)("bcrypt");
const lowest = 4;

let isFull = false;
let compared: string[] = [];

/** Until the running test ends, a hash has the cost that the caller names. */
export function useFullCost(): void {
  isFull = true;
  onTestFinished(() => {
    isFull = false;
  });
}

/** What each comparison since the last call cost, as the hash names it: `$2b$10$`. */
export function comparedCosts(): readonly string[] {
  const costs = compared.map((hash) => hash.slice(0, 7));
  compared = [];
  return costs;
}

export function hash(data: string, rounds: number): Promise<string> {
  return bcrypt.hash(data, isFull ? rounds : Math.min(rounds, lowest));
}

export function compare(data: string, encrypted: string): Promise<boolean> {
  compared.push(encrypted);
  return bcrypt.compare(data, encrypted);
}
