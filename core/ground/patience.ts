// How long the kernel waits for promises of plugins. One timer looks after all of them: nearly all have settled when it looks.

import { clearInterval, setInterval } from "node:timers";
import { type PluginPlace, PluginTimeout } from "./plugin-fault.ts";

/** How long a plugin may take for what it does for a request, in a transaction or for a deploy. */
export interface Patience {
  /** For a call that begins now. */
  allow(): Allowance;
}

/** How long one call may take. */
export interface Allowance {
  /** In milliseconds of `performance.now()`. */
  readonly until: number;
  /** How messages say it: `within 5000 ms (limits.hookMs)`. */
  readonly limit: string;
  /** A kernel that closes waits no longer than it says. Undefined: it waits. */
  readonly closing?: Closing | undefined;
  /** Asked at `until`: until when the call may go on. Undefined: not at all. */
  readonly extended?: (now: number) => number | undefined;
}

/** When a kernel that closes stops waiting for plugins. */
export class Closing {
  readonly limit: string;
  readonly #closeMs: number;
  /** In milliseconds of `performance.now()`. */
  until = Number.POSITIVE_INFINITY;

  constructor(closeMs: number) {
    this.#closeMs = closeMs;
    this.limit = `within the ${closeMs} ms that a kernel waits when it closes (limits.closeMs)`;
  }

  begin(): void {
    this.until = performance.now() + this.#closeMs;
  }

  /** The kernel opens. */
  reset(): void {
    this.until = Number.POSITIVE_INFINITY;
  }
}

/** The same time for each call. */
export class FixedPatience implements Patience {
  readonly #ms: number;
  readonly #limit: string;
  readonly #closing: Closing | undefined;

  /** @param name of the limit: `openMs` */
  constructor(ms: number, name: string, closing?: Closing) {
    this.#ms = ms;
    this.#limit = `within ${ms} ms (limits.${name})`;
    this.#closing = closing;
  }

  allow(): Allowance {
    return { until: performance.now() + this.#ms, limit: this.#limit, closing: this.#closing };
  }
}

/** Under this name an argument of hooks, such as a request, has how long they may take. */
export const patience = Symbol("how long hooks may take");

interface Limited {
  readonly [patience]?: Patience | undefined;
}

/** Undefined: it limits nothing. */
export function patienceOf(about: object): Patience | undefined {
  return read(about);
}

function read({ [patience]: found }: Limited): Patience | undefined {
  return found;
}

export interface Settling<T, U> {
  readonly patience: Patience;
  /** Whose promise it is. */
  readonly place: () => PluginPlace;
  readonly fulfilled: (value: T) => U;
  /** Throws what the promise of the plugin rejects with, as callers shall get it. */
  readonly rejected: (thrown: unknown) => U;
}

/** What comes of a plugin's promise. Rejects with `PluginTimeout` when that has not settled in time; what it settles to later is dropped. */
export function settledInTime<T, U>(given: PromiseLike<T>, settling: Settling<T, U>): Promise<U> {
  return new Promise((resolve, reject) => {
    const wait: Wait = { ...settling.patience.allow(), end: (limit) => reject(new PluginTimeout(settling.place(), limit)) };
    const settle = <V>(next: (value: V) => U, value: V): void => {
      if (!waits.delete(wait)) return;
      try {
        resolve(next(value));
      } catch (thrown) {
        reject(thrown);
      }
    };
    waits.add(wait);
    given.then(
      (value) => settle(settling.fulfilled, value),
      (thrown) => settle(settling.rejected, thrown),
    );
  });
}

type Wait = { -readonly [Name in keyof Allowance]: Allowance[Name] } & { readonly end: (limit: string) => void };

/** How often the timer looks, in milliseconds: a call may last longer than allowed by as much. */
const lookMs = 50;

class Waits {
  readonly #waits = new Set<Wait>();
  #timer: NodeJS.Timeout | undefined;

  /** The timer goes on until it finds nothing: to start and stop it for each wait would take longer than all else. */
  add(wait: Wait): void {
    this.#timer ??= setInterval(() => this.#look(), lookMs);
    this.#waits.add(wait);
  }

  /** @returns false: it was over */
  delete(wait: Wait): boolean {
    return this.#waits.delete(wait);
  }

  #look(): void {
    const now = performance.now();
    for (const wait of this.#waits) this.#judge(wait, now);
    if (this.#waits.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #judge(wait: Wait, now: number): void {
    const { closing } = wait;
    if (closing !== undefined && now >= closing.until) this.#end(wait, closing.limit);
    else if (now >= wait.until) {
      const extended = wait.extended?.(now);
      if (extended === undefined) this.#end(wait, wait.limit);
      else wait.until = extended;
    }
  }

  #end(wait: Wait, limit: string): void {
    this.delete(wait);
    wait.end(limit);
  }
}

/** One for the process, as the event loop is. */
const waits = new Waits();
