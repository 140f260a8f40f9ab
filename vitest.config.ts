import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { findMongod } from "./test/support/find-mongod.ts";
import { roomyFolder } from "./test/support/roomy-folder.ts";
import { SuiteReport, SuiteSequencer, withoutMongod } from "./test/support/suite-report.ts";
import { type Suite, suites } from "./test/support/suites.ts";

// Each suite of `test/support/suites.ts` is a project. `npm test` and its siblings choose projects by name.
const mongod = findMongod();

// Examples import the package by its name, as strangers do. Here that means these sources.
const here = import.meta.dirname;
const resolve = {
  alias: [
    // As Node finds it: a second copy beside it would know none of the first one's types.
    { find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve("graphql")) },
    { find: /^bcrypt$/, replacement: `${here}/test/support/bcrypt.ts` },
    { find: /^quern$/, replacement: `${here}/adapters/server/index.ts` },
    { find: /^quern\/plugin$/, replacement: `${here}/plugins/index.ts` },
    { find: /^quern\/(server|storage|transport)$/, replacement: `${here}/core/$1.ts` },
    { find: /^quern\/(plugins|adapters)\/([^/]+)$/, replacement: `${here}/$1/$2/index.ts` },
    { find: /^quern\/conformance$/, replacement: `${here}/test/conformance/index.ts` },
  ],
};

interface Needs {
  readonly timeoutMs: number;
  /** A share of the examples of each model, and of the rounds of each crash. The caller's own number goes first. */
  readonly examples: string;
  /** From which the examples are made. The caller's own goes first. */
  readonly seed?: string;
  readonly globalSetup: readonly string[];
}

const built = "test/support/build-setup.ts";
const needs: Readonly<Record<string, Needs>> = {
  // Each step is a round trip to a server on the same cores.
  mongodb: { timeoutMs: 300_000, globalSetup: mongod ? ["test/support/mongodb-setup.ts"] : [], examples: "0.2" },
  // Each command is a process that starts from nothing, and some specs take ten seconds of a core: minutes where others are at work.
  // Other examples than those of `everyday`.
  thorough: { timeoutMs: 300_000, globalSetup: [built], examples: "0.5", seed: "2" },
  everyday: { timeoutMs: 300_000, globalSetup: [built], examples: "0.2" },
};

function projectOf({ name, storage, files }: Suite): TestProjectConfiguration {
  const { timeoutMs, globalSetup, examples, seed = "1" } = needs[name] ?? { timeoutMs: 60_000, globalSetup: [], examples: "1" };
  return {
    resolve,
    test: {
      name,
      include: name === "mongodb" && !mongod ? ["test/support/without-mongod.ts"] : [...files],
      // A worker loads the sources once, which takes as long as the tests of many a file. `test/structure/suites.test.ts` says what that asks of specs.
      isolate: false,
      setupFiles: ["test/support/spec-setup.ts"],
      globalSetup: [...globalSetup],
      // The default of a second is short for a machine that is busy with other things.
      expect: { poll: { timeout: timeoutMs } },
      testTimeout: timeoutMs,
      hookTimeout: timeoutMs,
      // What Vite makes of a source is kept from one run to the next, and from one suite to the next.
      experimental: { fsModuleCache: true },
      // Packages are imported as Node itself imports them.
      deps: { interopDefault: false },
      // Temporary files are stores, above all.
      env: {
        QUERN_TEST_EXAMPLES: process.env.QUERN_TEST_EXAMPLES ?? examples,
        QUERN_TEST_SEED: process.env.QUERN_TEST_SEED ?? seed,
        TMPDIR: process.env.TMPDIR ?? roomyFolder(),
      },
      provide: { storage },
    },
  };
}

export default defineConfig({
  test: {
    passWithNoTests: false,
    // What a server under test logs is of interest when its spec fails. What specs say themselves is printed by `SuiteReport`.
    silent: "passed-only",
    // More than cores: many specs wait for sockets, timers and other processes.
    maxWorkers: availableParallelism() + 2,
    reporters: ["default", new SuiteReport(mongod ? new Map() : withoutMongod)],
    sequence: { sequencer: SuiteSequencer },
    projects: suites.map(projectOf),
  },
});
