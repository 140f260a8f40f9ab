// Delivers the events of the outbox: each at least once, those of one node in the order of their commits, one server at a time.

import type { BackgroundContext, BackgroundTask, ChangeRecord, CommitToken, Gap, Uid } from "../../../core/plugin.ts";
import { type Entry, loadBody, readyEntries } from "./entries.ts";
import { entryType } from "./layout.ts";
import { OutboxWriter } from "./outbox-writer.ts";

/** Hands an event over. A rejection is a failed delivery, which is repeated. */
export type Deliver = (delivery: Delivery, context: BackgroundContext) => Promise<void>;

export interface Delivery {
  /** Equal for all deliveries of one event. */
  readonly uid: Uid;
  /** The event as it was written. */
  readonly body: string;
  /** A view at this token contains the commit of the event. It is the commit's own token, unless the server has ended between commit and delivery. */
  readonly token: CommitToken;
  /** When the event was committed, in milliseconds since 1970. */
  readonly born: number;
}

export interface OutboxOptions {
  readonly deliver: Deliver;
  /** An event that could not be delivered for so long is given up. */
  readonly maxAgeMs: number;
  /** The longest pause before the first repetition. It doubles with each failure, up to five minutes. */
  readonly firstRetryMs: number;
  /** Deliveries at a time. */
  readonly maxConcurrent: number;
  /** How long another server waits for a sign of life before it takes over. */
  readonly leaseMs: number;
}

const longestRetryMs = 300_000;
/** Without a commit, a due delivery or a wake-up, the outbox is looked at as often. */
const longestPauseMs = 60_000;
/** Tokens of events that are not delivered yet. */
const maxTokens = 10_000;

export function outboxTask(options: OutboxOptions): BackgroundTask {
  return { name: "outbox", runs: "once", leaseMs: options.leaseMs, run: (context) => new Outbox(context, options).run() };
}

class Outbox {
  readonly #context: BackgroundContext;
  readonly #options: OutboxOptions;
  readonly #writer: OutboxWriter;
  /** Under delivery, or waiting for the commit that says so. */
  readonly #busy = new Map<Uid, Promise<void>>();
  readonly #tokens = new Map<Uid, CommitToken>();
  #delivered = 0;
  #failed = 0;
  #givenUp = 0;
  #fault: { readonly reason: unknown } | undefined;
  #isWoken = false;
  #wake: (() => void) | undefined;

  constructor(context: BackgroundContext, options: OutboxOptions) {
    this.#context = context;
    this.#options = options;
    this.#writer = new OutboxWriter(context);
  }

  async run(): Promise<void> {
    const context = this.#context;
    context.gauge("eventsInDelivery", () => this.#busy.size);
    context.gauge("eventsDeliveredTotal", () => this.#delivered);
    context.gauge("eventDeliveriesFailedTotal", () => this.#failed);
    context.gauge("eventsGivenUpTotal", () => this.#givenUp);
    context.changes((event) => this.#hear(event));
    context.signal.addEventListener("abort", () => this.#awake());
    try {
      while (!context.signal.aborted) {
        this.#isWoken = false;
        await this.#pause(await this.#startDeliveries());
        if (this.#fault) throw this.#fault.reason;
      }
    } finally {
      await Promise.allSettled(this.#busy.values());
    }
  }

  #hear(event: ChangeRecord | Gap): void {
    if (event.kind === "coarse" && !event.types.includes(entryType)) return;
    if (event.kind === "detailed") {
      const created = event.nodes.filter(({ type, what }) => type === entryType && what === "created");
      if (created.length === 0) return;
      for (const { uid } of created) if (this.#tokens.size < maxTokens) this.#tokens.set(uid, event.token);
    }
    this.#awake();
  }

  #awake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isWoken || this.#context.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** @returns in how many milliseconds to look again, unless something happens before */
  async #startDeliveries(): Promise<number> {
    const room = this.#options.maxConcurrent - this.#busy.size;
    if (room <= 0) return longestPauseMs;
    const snapshot = this.#context.snapshot();
    try {
      const { ready, blocked, nextDue } = await readyEntries(snapshot, { busy: new Set(this.#busy.keys()), room, now: Date.now() });
      if (blocked.length > 0) await this.#writer.postpone(blocked);
      for (const entry of ready) {
        const body = await loadBody(snapshot, entry.uid);
        this.#start(entry, { uid: entry.uid, body, token: this.#tokens.get(entry.uid) ?? snapshot.at, born: entry.born });
      }
      return nextDue === undefined ? longestPauseMs : Math.min(longestPauseMs, Math.max(1, nextDue - Date.now()));
    } finally {
      snapshot.close();
    }
  }

  #start(entry: Entry, delivery: Delivery): void {
    const ended = this.#deliver(entry, delivery).then(
      () => undefined,
      (reason: unknown) => {
        // The store refuses the result. The event stays in the outbox, and is delivered again.
        this.#fault ??= { reason };
      },
    );
    const settled = ended.then(() => {
      this.#busy.delete(entry.uid);
      this.#awake();
    });
    this.#busy.set(entry.uid, settled);
  }

  async #deliver(entry: Entry, delivery: Delivery): Promise<void> {
    try {
      await this.#options.deliver(delivery, this.#context);
    } catch (thrown) {
      if (!this.#context.signal.aborted) await this.#failedWith(thrown, entry);
      return;
    }
    this.#delivered++;
    await this.#forget(entry);
  }

  async #failedWith(thrown: unknown, entry: Entry): Promise<void> {
    const { maxAgeMs, firstRetryMs } = this.#options;
    const tries = entry.tries + 1;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const facts = { event: `0x${entry.uid.toString(16)}`, tries, reason };
    this.#failed++;
    if (Date.now() - entry.born >= maxAgeMs) {
      this.#givenUp++;
      this.#context.log("warn", `an event is given up after ${tries} deliveries that failed: ${reason}`, facts);
      await this.#forget(entry);
      return;
    }
    this.#context.log(tries === 1 ? "warn" : "info", `an event could not be delivered, and will be again: ${reason}`, facts);
    await this.#writer.retry(entry.uid, { tries, due: Date.now() + retryAfterMs(tries, firstRetryMs) });
  }

  async #forget({ uid }: Entry): Promise<void> {
    await this.#writer.remove(uid);
    this.#tokens.delete(uid);
  }
}

/** Doubles with each failure. Up to half of it is left to chance, so that what failed together is not repeated together. */
function retryAfterMs(tries: number, firstRetryMs: number): number {
  const most = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(tries - 1, 20));
  return most * (0.5 + Math.random() / 2);
}
