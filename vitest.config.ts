import { defineConfig } from "vitest/config";
import { findMongod, howToGetMongod } from "./test/support/find-mongod.ts";
import { specsOnEveryStorage } from "./test/support/specs.ts";

// Each storage is a project. `level` runs every spec but those of the other adapter; `mongodb` runs that adapter's and every
// spec that opens a store. A spec of one storage alone lives in that adapter's folder.
const mongod = findMongod();
if (!mongod) console.warn(`\nMONGODB IS LEFT OUT: there is no mongod. ${howToGetMongod}\n`);

const patience = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      {
        test: {
          ...patience,
          name: "level",
          include: ["test/**/*.test.ts"],
          exclude: ["test/adapters/mongodb/**"],
          provide: { storage: "level" },
        },
      },
      {
        test: {
          ...patience,
          name: "mongodb",
          include: mongod ? ["test/adapters/mongodb/**/*.test.ts", ...specsOnEveryStorage()] : ["test/support/without-mongod.ts"],
          exclude: ["test/adapters/level/**"],
          globalSetup: mongod ? ["test/support/mongodb-setup.ts"] : [],
          provide: { storage: "mongodb" },
        },
      },
    ],
  },
});
