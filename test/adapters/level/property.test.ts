// Random data and questions, shrunk by fast-check when one is answered wrongly.

import fc from "fast-check";
import { it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import type { Pick } from "../../conformance/storage/random.ts";
import { askRandomly, populate } from "../../conformance/storage/random-checks.ts";
import { temporaryFolder } from "./folders.ts";

it("answers as a plain filter over arrays does, whatever the data and the question", async () => {
  await fc.assert(
    fc.asyncProperty(fc.gen(), fc.integer({ min: 1, max: 25 }), async (generate, count) => {
      const pick: Pick = (below) => generate(fc.nat, { max: Math.max(0, below - 1) });
      const storage = leveldbStorage({ path: await temporaryFolder(), durability: "os-crash-may-lose-commits", cacheBytes: 50_000 });
      await storage.open();
      try {
        const bench = new Bench(storage);
        const { oracle, highest } = await populate(bench, pick, count);
        await bench.read(async (snapshot) => {
          for (let i = 0; i < 12; i++) await askRandomly(snapshot, oracle, pick, highest);
        });
      } finally {
        await storage.close();
      }
    }),
    { numRuns: 60 },
  );
});
