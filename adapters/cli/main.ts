#!/usr/bin/env node
// The quern executable: sets up the process, and runs one command.

import { setFlagsFromString } from "node:v8";
import { keepCompiledCode } from "./compile-cache.ts";

keepCompiledCode(process.env);

// V8 lets the heap grow to four times the live data before it collects. With this flag an import of the Debian graph has 414 MB resident instead of
// 617, and takes a tenth longer. A server whose cache of a million nodes is too small for its reads has 370 MiB instead of 475, at the same processor
// time a request; where the data fit, both collect once in 100,000 reads.
if (process.argv[2] === "import" || process.argv[2] === "start") setFlagsFromString("--heap-growing-percent=75");

// A reader that has seen enough, such as `head`, closes the pipe.
for (const stream of [process.stdout, process.stderr]) {
  // A process that runs several commands has the listener from the first one.
  if (stream.listenerCount("error") > 0) continue;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

// Must be set before any import: in production mode the graphql package skips its check for duplicate installations, which runs on
// every coerced value.
process.env.NODE_ENV ??= "production";
const { runCommandLine } = await import("./run-command-line.ts");
process.exitCode = await runCommandLine();
