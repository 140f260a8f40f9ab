#!/usr/bin/env node
// The command line: runs one command and turns whatever goes wrong into a sentence and an exit code.

// Before anything is imported: in production the graphql package leaves out its search for doubled installations, which costs
// every value that it coerces.
process.env.NODE_ENV ??= "production";
const { runCommandLine } = await import("./run-command-line.ts");
process.exitCode = await runCommandLine();
