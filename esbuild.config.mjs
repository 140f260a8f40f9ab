// Builds the package's modules: `node esbuild.config.mjs`. Its entries stay in their places, and what they share is gathered in chunks. A
// process that loads each of the 800 sources as a module of its own takes twice as long to start. `tsc` writes the types beside them.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const folders = ["adapters", "plugins"].flatMap((kind) => readdirSync(kind).map((name) => `${kind}/${name}/index.ts`));

const entries = [
  // The entries that `exports` of package.json names.
  "core/server.ts",
  "core/storage.ts",
  "core/transport.ts",
  "plugins/index.ts",
  ...folders.filter((path) => existsSync(path)),
  "test/conformance/index.ts",
  // What processes and threads start with.
  "adapters/cli/main.ts",
  "adapters/cli/stack/fresh-module-hooks.ts",
  "adapters/cli/import/index-thread.ts",
  "adapters/cli/stack/reader-config.ts",
  "adapters/read-workers/thread.ts",
  "plugins/lambda/handlers/module/module-thread.ts",
  // A step of this build.
  "adapters/server/graphiql/copy-browser-files.ts",
];

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: entries,
  outbase: ".",
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20.19",
  sourcemap: true,
  // The package contains the sources.
  sourcesContent: false,
  logLevel: "warning",
});
