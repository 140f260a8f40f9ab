import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { findMongod, howToGetMongod } from "./test/support/find-mongod.ts";
import { specsOnEveryStorage } from "./test/support/specs.ts";

// Each storage is a project. `level` runs every spec but those of the other adapter; `mongodb` runs that adapter's and every
// spec that opens a store. A spec of one storage alone lives in that adapter's folder.
const mongod = findMongod();
if (!mongod) console.warn(`\nMONGODB IS LEFT OUT: there is no mongod. ${howToGetMongod}\n`);

// Examples import the package by its name, as strangers do. Here that means these sources.
const here = import.meta.dirname;
const resolve = {
  alias: [
    // As Node finds it: a second copy beside it would know none of the first one's types.
    { find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve("graphql")) },
    { find: /^quern$/, replacement: `${here}/adapters/server/index.ts` },
    { find: /^quern\/(plugins|adapters)\/([^/]+)$/, replacement: `${here}/$1/$2/index.ts` },
    { find: /^quern\/conformance$/, replacement: `${here}/test/conformance/index.ts` },
  ],
};
// Packages are imported as Node itself imports them.
const deps = { interopDefault: false };
const patience = (ms: number) => ({ testTimeout: ms, hookTimeout: ms });

export default defineConfig({
  test: {
    passWithNoTests: false,
    // Every core: by default one is left idle, which is half of a machine with two.
    maxWorkers: "100%",
    projects: [
      {
        resolve,
        test: {
          ...patience(60_000),
          deps,
          name: "level",
          include: ["test/**/*.test.ts"],
          exclude: ["test/adapters/mongodb/**"],
          provide: { storage: "level" },
        },
      },
      {
        resolve,
        test: {
          // Each step is a round trip to a server on the same cores.
          ...patience(300_000),
          deps,
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
