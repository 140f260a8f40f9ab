// Builds the console: one page and its files, which the server serves at `/console`.

import { join } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;

export default defineConfig({
  root: join(here, "app"),
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: { dedupe: ["graphql", "preact"] },
  build: {
    outDir: join(here, "../../dist/adapters/server/console/browser"),
    emptyOutDir: true,
    assetsDir: "",
    target: "es2023",
    modulePreload: { polyfill: false },
    // The licences of the packages in the bundle.
    license: { fileName: "LICENSES.md" },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  experimental: {
    // The page is at `/console`, its files below it; both may be behind a proxy that adds a prefix.
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `console/${file}` : { relative: true }),
  },
  logLevel: "warn",
});
