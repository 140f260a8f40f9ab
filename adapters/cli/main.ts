#!/usr/bin/env node
// The command line: runs one command and turns whatever goes wrong into a sentence and an exit code.

import { CommanderError } from "commander";
import { explainFailure } from "./failure.ts";
import { quernProgram } from "./program.ts";

try {
  await quernProgram().parseAsync();
} catch (error) {
  // Commander has printed its own message (or the help that was asked for) by now.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error(explainFailure(error));
    process.exitCode = 1;
  }
}
