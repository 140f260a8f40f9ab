// Random data and questions, shrunk by fast-check when one is answered wrongly.

import { it } from "vitest";
import { Bench } from "../conformance/storage/kit.ts";
import type { Pick } from "../conformance/storage/random.ts";
import { askRandomly, populate } from "../conformance/storage/random-checks.ts";
import fc from "../support/properties.ts";
import { newStorage } from "../support/storage.ts";

it("answers as a plain filter over arrays does, whatever the data and the question", async () => {
  const storage = await newStorage({ cacheBytes: 50_000 });
  await storage.open();
  try {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.integer({ min: 1, max: 25 }), async (generate, count) => {
        const pick: Pick = (below) => generate(fc.nat, { max: Math.max(0, below - 1) });
        await storage.erase({ kind: "data" });
        const bench = new Bench(storage);
        const { oracle, highest } = await populate(bench, pick, count);
        await bench.read(async (snapshot) => {
          for (let i = 0; i < 12; i++) await askRandomly(snapshot, oracle, pick, highest);
        });
      }),
      { numRuns: 60 },
    );
  } finally {
    await storage.close();
  }
});
