// Any schema, any sequence of requests and deploys: answered as a plain walk over plain arrays answers.
//
// QUERN_TEST_SEED is another number, or "random"; QUERN_TEST_EXAMPLES=4 plays four times as many games; QUERN_MODEL_SECONDS plays for so long instead of a fixed number of games; QUERN_MODEL_FIRST stops
// at the first failure instead of looking for a smaller one; QUERN_MODEL_TRACE prints what is sent. A failure prints the seed and the smallest game found.

import { describe, expect, it } from "vitest";
import fc, { examples, testSeed } from "../../support/properties.ts";
import { newPlace, storageName } from "../../support/storage.ts";
import { games as anyGame, play, type Tally } from "./play.ts";

const given = process.env.QUERN_MODEL_SECONDS;
const seconds = Number(given ?? 600);
// A game takes several times as long where each step is a round trip to a server.
const usual = storageName === "level" ? 125 : 60;
const games = given === undefined ? examples(usual) : 1_000_000;

describe("any game", () => {
  it(
    `is played alike by the store and by the naive one, ${given === undefined ? `${games} times` : `for ${given} s`}`,
    async () => {
      const tally: Tally = new Map();
      await fc.assert(
        fc.asyncProperty(anyGame, async (game) => {
          const place = await newPlace();
          try {
            await play(game, place.storage(), tally);
          } finally {
            await place.remove();
          }
        }),
        {
          numRuns: games,
          endOnFailure: process.env.QUERN_MODEL_FIRST !== undefined,
          interruptAfterTimeLimit: seconds * 1_000,
          markInterruptAsFailure: false,
        },
      );
      console.log(
        `model seed ${testSeed}: ${[...tally]
          .sort()
          .map(([what, count]) => `${count} ${what}`)
          .join(", ")}`,
      );
      for (const what of ["games", "add", "update", "delete", "queries", "deploys", "restarts"]) expect(tally.get(what) ?? 0).toBeGreaterThan(0);
    },
    (seconds + 120) * 1_000,
  );
});
