// Runs programs one after the other in one process, each as a process of its own would: its folder, arguments, environment, exit code. A program
// has ended when nothing would keep its process alive.

import { pathToFileURL } from "node:url";

/** What the process is sent. */
export interface ProgramRun {
  /** A JavaScript module. */
  readonly program: string;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to both outputs when the program has ended. */
  readonly end: string;
}

/** What it sends back when the program has ended. */
export interface ProgramEnded {
  readonly code: number;
}

const [node = ""] = process.argv;
/** Node's exit code of a module that waits for ever. */
const neverSettled = 13;

let running: { readonly end: string; isDone: boolean } | undefined;
let runs = 0;

process.on("message", (run: ProgramRun) => void runProgram(run));
process.on("beforeExit", sendEnd);
// The process of the specs has ended.
process.on("disconnect", () => process.exit());

async function runProgram({ program, cwd, args, env, end }: ProgramRun): Promise<void> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [node, program, ...args];
  process.exitCode = undefined;
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
  const current = { end, isDone: false };
  running = current;
  // From now on only the program keeps the process alive.
  process.channel?.unref();
  // The module is run again; what it imports is loaded once. An error ends this process, as it would end that of the program.
  await import(`${pathToFileURL(program).href}?${++runs}`);
  current.isDone = true;
}

/** The process would end now, if it did not wait for the next program. */
function sendEnd(): void {
  if (running === undefined) return;
  process.channel?.ref();
  const ended: ProgramEnded = { code: running.isDone ? Number(process.exitCode ?? 0) : neverSettled };
  process.stdout.write(running.end);
  process.stderr.write(running.end);
  running = undefined;
  process.send?.(ended);
}
