// Runs one command, prints its error, and returns the exit code.

import { CommanderError } from "commander";
import { quernProgram } from "./program.ts";

/** @returns the exit code: 0 done, 1 refused or failed, 2 wrong arguments */
export async function runCommandLine(): Promise<number> {
  try {
    await quernProgram().parseAsync();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander has already printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { explainFailure } = await import("./ground/failure.ts");
    console.error(explainFailure(error));
    return 1;
  }
}
