// Starts and ends the background tasks of the served schema.

import type { Deployment } from "../schema/deployment/deployment.ts";
import type { BackgroundOptions } from "./options.ts";
import { RunningTask } from "./running-task.ts";

export class BackgroundWork {
  readonly #options: BackgroundOptions;
  #running: readonly RunningTask[] = [];
  #isStarted = false;
  /** Tasks of one schema end before those of the next begin. */
  #queue: Promise<void> = Promise.resolve();

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /** From now on tasks run. */
  start(deployment: Deployment | undefined): void {
    this.#isStarted = true;
    this.serve(deployment);
  }

  /** Ends the tasks of the schema before, and starts those of `deployment`. */
  serve(deployment: Deployment | undefined): void {
    if (!this.#isStarted) return;
    const tasks = (deployment?.hooks ?? []).flatMap(({ plugin, hooks }) => (hooks.background ?? []).map((task) => ({ plugin, task })));
    if (tasks.length === 0 && this.#running.length === 0) return;
    const before = this.#running;
    const next = deployment ? tasks.map((each) => new RunningTask({ ...this.#options, ...each, deployment })) : [];
    this.#running = next;
    this.#queue = this.#queue.then(async () => {
      await Promise.all(before.map((task) => task.end()));
      for (const task of next) task.start();
    });
  }

  /** Ends all tasks. Resolves when they have ended, or have been given enough time to. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    const before = this.#running;
    this.#running = [];
    for (const task of before) task.abort();
    await this.#queue;
    await Promise.all(before.map((task) => task.end()));
  }
}
