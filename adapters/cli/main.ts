#!/usr/bin/env node
// The command line: runs one command and turns whatever goes wrong into a sentence and an exit code.

import { setFlagsFromString } from "node:v8";

// A load makes garbage quickly; left alone, V8 lets it pile up to several times what is alive. 617 MB resident by default, 414 MB
// so, for a tenth of the time (the Debian graph).
if (process.argv[2] === "import") setFlagsFromString("--heap-growing-percent=75");

// Before anything is imported: in production the graphql package leaves out its search for doubled installations, which costs
// every value that it coerces.
process.env.NODE_ENV ??= "production";
const { runCommandLine } = await import("./run-command-line.ts");
process.exitCode = await runCommandLine();
