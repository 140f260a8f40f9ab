// Long work that an administrator asks for, one at a time: exports, backups, restores and checks.

import { randomBytes } from "node:crypto";
import { QuernError } from "../../../core/index.ts";

export type TaskKind = "Export" | "Backup" | "Check" | "Restore" | "Unknown";
export type TaskStatus = "Queued" | "Running" | "Failed" | "Success";

export interface Task {
  /** A number of 64 bits in hexadecimal: `0x1c4bc8d9f3a7e21f`. */
  readonly id: string;
  /** Its number since the start, from 1. */
  readonly number: number;
  readonly kind: TaskKind;
  readonly status: TaskStatus;
  /** When the status changed. */
  readonly lastUpdated: Date;
  /** Why it failed, or where its result is. */
  readonly message: string | undefined;
  /** 0 to 100. */
  readonly percent: number;
}

/** The work of a task. @returns a sentence about the result */
export type TaskWork = (control: { readonly signal: AbortSignal; readonly progress: (done: number, total: number) => void }) => Promise<string>;

export interface TaskEvents {
  readonly ended: (task: Task) => void;
  /** Gets an error that is not meant for callers. */
  readonly fault: (thrown: unknown) => void;
}

/** Tasks that wait. */
const maxWaiting = 100;
/** Tasks that are remembered. */
const maxKnown = 1_000;

type Changing = { -readonly [Key in keyof Task]: Task[Key] };

export class TaskQueue {
  readonly #events: TaskEvents;
  readonly #tasks = new Map<string, Changing>();
  readonly #waiting: { readonly task: Changing; readonly work: TaskWork }[] = [];
  #count = 0;
  #running: { readonly control: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(events: TaskEvents) {
    this.#events = events;
  }

  /** @throws QuernError `OVERLOADED` when too many tasks wait */
  add(kind: TaskKind, work: TaskWork): Task {
    if (this.#waiting.length >= maxWaiting) throw new QuernError("OVERLOADED", "too many pending tasks, please try again later");
    const id = `0x${randomBytes(8).toString("hex").replace(/^0+/, "") || "1"}`;
    this.#count += 1;
    const task: Changing = { id, number: this.#count, kind, status: "Queued", lastUpdated: new Date(), message: undefined, percent: 0 };
    this.#tasks.set(task.id, task);
    for (const [id, { status }] of this.#tasks) {
      if (this.#tasks.size <= maxKnown) break;
      if (status === "Success" || status === "Failed") this.#tasks.delete(id);
    }
    this.#waiting.push({ task, work });
    this.#next();
    return task;
  }

  /** Whether a task runs or waits. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#waiting.length > 0;
  }

  /** By its number, in whatever spelling. */
  get(id: bigint): Task | undefined {
    return this.#tasks.get(`0x${id.toString(16)}`);
  }

  /** The newest ones, newest first. */
  recent(count: number): readonly Task[] {
    return [...this.#tasks.values()].slice(-count).reverse();
  }

  /** By its number since the start. */
  numbered(number: number): Task | undefined {
    return [...this.#tasks.values()].find((task) => task.number === number);
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const control = new AbortController();
    const ended = this.#run(next.task, next.work, control.signal).then(() => {
      this.#running = undefined;
      this.#next();
    });
    this.#running = { control, ended };
  }

  async #run(task: Changing, work: TaskWork, signal: AbortSignal): Promise<void> {
    change(task, { status: "Running" });
    const progress = (done: number, total: number) => {
      task.percent = total === 0 ? 0 : Math.floor((100 * done) / total);
    };
    try {
      change(task, { status: "Success", message: await work({ signal, progress }), percent: 100 });
    } catch (thrown) {
      const isForCallers = thrown instanceof QuernError && thrown.code !== "INTERNAL";
      if (!isForCallers) this.#events.fault(thrown);
      change(task, { status: "Failed", message: isForCallers ? thrown.message : "Internal error" });
    }
    this.#events.ended(task);
  }

  /** Ends the running task and forgets the waiting ones. */
  async stop(): Promise<void> {
    for (const { task } of this.#waiting.splice(0))
      change(task, { status: "Failed", message: "The server closed its store before this task began." });
    this.#running?.control.abort(new QuernError("CANCELLED", "The server has stopped."));
    await this.#running?.ended;
  }
}

function change(task: Changing, changes: Partial<Task>): void {
  Object.assign(task, changes, { lastUpdated: new Date() });
}
