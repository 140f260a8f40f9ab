// A transaction in the hands of a plugin. What it does between two calls of the store is measured: on a store with one writer all other writes wait meanwhile.

import type { Transaction } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";

/** Time outside the store, in milliseconds, from which on a transaction is logged. */
const longMs = 100;

/**
 * Runs `work` with `transaction`, whose calls fail from the moment at which `work` has ended.
 *
 * @param long gets the milliseconds that it spent outside the store, if these are many
 */
export async function held<T>(
  transaction: Transaction,
  work: (transaction: HeldTransaction) => MaybePromise<T>,
  long: (outsideMs: number) => void,
): Promise<T> {
  const holding = new HeldTransaction(transaction);
  try {
    return await work(holding);
  } finally {
    await holding.end();
    if (holding.outsideMs > longMs) long(Math.round(holding.outsideMs));
  }
}

/** What the log says of it. @param whose `The transaction of the plugin "accounts"` */
export function heldLong(whose: string, outsideMs: number): string {
  return `${whose} was open for ${outsideMs} ms outside the store. On a store with one writer all other writes wait for it: do what is slow before.`;
}

export class HeldTransaction implements Transaction {
  readonly group?: NonNullable<Transaction["group"]>;
  /** The first error of the store: the transaction cannot be committed any more. */
  failure: { readonly thrown: unknown } | undefined;
  readonly #transaction: Transaction;
  /** Calls of the store that have not ended. */
  #calls = 0;
  #since = performance.now();
  #outsideMs = 0;
  #isOver = false;
  #whenIdle: (() => void) | undefined;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
    if (transaction.group) this.group = (request) => this.#call(() => transaction.group?.(request) ?? []);
  }

  get at(): Transaction["at"] {
    return this.#transaction.at;
  }

  get outsideMs(): number {
    return this.#outsideMs;
  }

  find(request: Parameters<Transaction["find"]>[0]): ReturnType<Transaction["find"]> {
    return this.#call(() => this.#transaction.find(request));
  }

  follow(request: Parameters<Transaction["follow"]>[0]): ReturnType<Transaction["follow"]> {
    return this.#call(() => this.#transaction.follow(request));
  }

  load(request: Parameters<Transaction["load"]>[0]): ReturnType<Transaction["load"]> {
    return this.#call(() => this.#transaction.load(request));
  }

  aggregate(request: Parameters<Transaction["aggregate"]>[0]): ReturnType<Transaction["aggregate"]> {
    return this.#call(() => this.#transaction.aggregate(request));
  }

  meta(name: string): ReturnType<Transaction["meta"]> {
    return this.#call(() => this.#transaction.meta(name));
  }

  uids(count: number): ReturnType<Transaction["uids"]> {
    return this.#call(() => this.#transaction.uids(count));
  }

  hold(nodes: Parameters<Transaction["hold"]>[0]): MaybePromise<void> {
    return this.#call(() => this.#transaction.hold(nodes));
  }

  write(changes: Parameters<Transaction["write"]>[0]): MaybePromise<void> {
    return this.#call(() => this.#transaction.write(changes));
  }

  setMeta(...entry: Parameters<Transaction["setMeta"]>): MaybePromise<void> {
    return this.#call(() => this.#transaction.setMeta(...entry));
  }

  /** The store closes it. */
  close(): void {}

  /** Resolves when no call of the store runs. Later calls fail. */
  async end(): Promise<void> {
    if (!this.#isOver && this.#calls === 0) this.#countOutside();
    this.#isOver = true;
    if (this.#calls > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  #call<T>(call: () => MaybePromise<T>): MaybePromise<T> {
    if (this.#isOver) throw new QuernError("CANCELLED", "The transaction is over: await everything that belongs to it within its callback.");
    if (this.#calls++ === 0) this.#countOutside();
    let value: MaybePromise<T>;
    try {
      value = call();
    } catch (thrown) {
      throw this.#failed(thrown);
    }
    if (!isPromise(value)) {
      this.#ended();
      return value;
    }
    return value.then(
      (result) => {
        this.#ended();
        return result;
      },
      (thrown) => {
        throw this.#failed(thrown);
      },
    );
  }

  #failed(thrown: unknown): unknown {
    this.failure ??= { thrown };
    this.#ended();
    return thrown;
  }

  #ended(): void {
    if (--this.#calls > 0) return;
    this.#since = performance.now();
    this.#whenIdle?.();
  }

  #countOutside(): void {
    this.#outsideMs += performance.now() - this.#since;
  }
}
