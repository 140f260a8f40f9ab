// Starts `other-server.ts` and hears what it says.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { builtProgram } from "../../support/built-program.ts";

export type Said =
  | { readonly kind: "step"; readonly what: string; readonly done: number; readonly total: number }
  | { readonly kind: "deployed" }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "added"; readonly name: string }
  | { readonly kind: "failed"; readonly messages: readonly string[] }
  | { readonly kind: "read"; readonly tookMs: number; readonly fewer: number }
  | { readonly kind: "serves"; readonly document: string; readonly at: number };

export type SaidOf<Kind extends Said["kind"]> = Extract<Said, { kind: Kind }>;

const program = new URL("./other-server.ts", import.meta.url);

/** Gone when the test is over. */
export class ServerProcess {
  readonly said: Said[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(args: readonly string[], hear: (said: Said, process: ServerProcess) => void = () => {}) {
    const child = spawn(process.execPath, [builtProgram(program), ...args], { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    this.#ended = once(child, "exit");
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said: Said = JSON.parse(line);
      this.said.push(said);
      hear(said, this);
    });
    onTestFinished(() => this.kill());
  }

  all<Kind extends Said["kind"]>(kind: Kind): SaidOf<Kind>[] {
    return this.said.filter((each): each is SaidOf<Kind> => each.kind === kind);
  }

  /** As a machine that is too busy, or asleep. */
  pause(): void {
    this.#child.kill("SIGSTOP");
  }

  goOn(): void {
    this.#child.kill("SIGCONT");
  }

  /** Ends what it has begun. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#ended;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  get ended(): Promise<unknown> {
    return this.#ended;
  }
}
