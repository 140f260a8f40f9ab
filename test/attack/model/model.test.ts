// Any schema, any sequence of requests and deploys: answered as a plain walk over plain arrays answers.
//
// QUERN_MODEL_SECONDS (50) says how long; QUERN_MODEL_SEED repeats a run; QUERN_MODEL_FIRST stops at the first failure instead of looking for
// a smaller one; QUERN_MODEL_TRACE prints what is sent. A failure prints the seed and the smallest game found.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newPlace } from "../../support/storage.ts";
import { games, play, type Tally } from "./play.ts";

const seconds = Number(process.env.QUERN_MODEL_SECONDS ?? 50);
const given = process.env.QUERN_MODEL_SEED;

describe("any game", () => {
  it(
    `is played alike by the store and by the naive one, for ${seconds} s`,
    async () => {
      const tally: Tally = new Map();
      const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
      await fc.assert(
        fc.asyncProperty(games, async (game) => {
          const place = await newPlace();
          try {
            await play(game, place.storage(), tally);
          } finally {
            await place.remove();
          }
        }),
        {
          seed,
          numRuns: 1_000_000,
          endOnFailure: process.env.QUERN_MODEL_FIRST !== undefined,
          interruptAfterTimeLimit: seconds * 1_000,
          markInterruptAsFailure: false,
        },
      );
      console.log(
        `model seed ${seed}: ${[...tally]
          .sort()
          .map(([what, count]) => `${count} ${what}`)
          .join(", ")}`,
      );
      for (const what of ["add", "update", "delete", "queries", "deploys", "restarts"]) expect(tally.get(what) ?? 0).toBeGreaterThan(0);
    },
    (seconds + 120) * 1_000,
  );
});
