// The namespaces that are open: so many at most. One is opened when a request asks for it, and closed when nobody has for a while, or another one
// needs its place: the one that was used least recently first, and never one that is in use.

import { QuernError } from "../../core/index.ts";
import type { ServerKernel } from "../server/index.ts";

export interface OpenNamespacesOptions {
  /** How many are open at the same time. */
  readonly maxOpen: number;
  /** How long one stays open that nobody uses, in milliseconds. */
  readonly idleMs: number;
  /** How long a request waits for a place, in milliseconds. */
  readonly patienceMs: number;
  /** How many requests wait for one. */
  readonly maxWaiting: number;
  /** A kernel that is not open. */
  readonly kernelOf: (namespace: number) => ServerKernel;
  /** The number of open namespaces has changed. */
  readonly changed: (kernels: readonly ServerKernel[]) => void;
  readonly failed: (thrown: unknown, namespace: number) => void;
}

/** Keeps a namespace open until it is released, once. */
export interface Lease {
  readonly kernel: ServerKernel;
  release(): void;
}

interface Entry {
  readonly namespace: number;
  readonly kernel: ServerKernel;
  /** Rejects when the kernel does not open. */
  opening: Promise<void>;
  isOpen: boolean;
  leases: number;
  usedAt: number;
  closing: Promise<void> | undefined;
}

interface Waiting {
  readonly go: () => void;
}

export class OpenNamespaces {
  readonly #options: OpenNamespacesOptions;
  /** The one that was used least recently comes first. */
  readonly #entries = new Map<number, Entry>();
  readonly #waiting = new Set<Waiting>();
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: OpenNamespacesOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#closeIdle(), Math.max(1_000, options.idleMs / 4)).unref();
  }

  get size(): number {
    return this.#entries.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Those that answer now. */
  get kernels(): readonly ServerKernel[] {
    return [...this.#entries.values()].filter(({ isOpen, closing }) => isOpen && closing === undefined).map(({ kernel }) => kernel);
  }

  /** At once for a namespace that is open. Errors: `OVERLOADED` without a place in time, `STORE_CLOSED`, and those of opening. */
  lease(namespace: number): Lease | Promise<Lease> {
    const entry = this.#entries.get(namespace);
    return !this.#isClosed && entry?.isOpen && entry.closing === undefined ? this.#leaseOf(entry) : this.#leaseLater(namespace);
  }

  async #leaseLater(namespace: number): Promise<Lease> {
    const deadline = performance.now() + this.#options.patienceMs;
    for (;;) {
      if (this.#isClosed) throw new QuernError("STORE_CLOSED", "The server is closing.");
      const entry = this.#entries.get(namespace) ?? (await this.#opened(namespace, deadline));
      if (entry === undefined) continue;
      if (entry.closing !== undefined) await entry.closing;
      else return await this.#leaseWhenOpen(entry);
    }
  }

  async #leaseWhenOpen(entry: Entry): Promise<Lease> {
    const lease = this.#leaseOf(entry);
    try {
      await entry.opening;
      return lease;
    } catch (thrown) {
      lease.release();
      throw thrown;
    }
  }

  /** Undefined: a place has become free, or somebody else has opened the namespace. */
  async #opened(namespace: number, deadline: number): Promise<Entry | undefined> {
    if (this.#entries.size < this.#options.maxOpen) return this.#open(namespace);
    const spare = this.#spare();
    if (spare === undefined) await this.#wait(deadline);
    else await this.#close(spare);
    return undefined;
  }

  #open(namespace: number): Entry {
    const kernel = this.#options.kernelOf(namespace);
    const entry: Entry = { namespace, kernel, opening: kernel.open(), isOpen: false, leases: 0, usedAt: Date.now(), closing: undefined };
    this.#entries.set(namespace, entry);
    entry.opening.then(
      () => {
        entry.isOpen = true;
        this.#options.changed(this.kernels);
      },
      () => this.#gone(entry),
    );
    return entry;
  }

  #leaseOf(entry: Entry): Lease {
    entry.leases++;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      entry.leases--;
      this.#used(entry);
    };
    return { kernel: entry.kernel, release };
  }

  #used(entry: Entry): void {
    entry.usedAt = Date.now();
    if (this.#entries.get(entry.namespace) !== entry) return;
    this.#entries.delete(entry.namespace);
    this.#entries.set(entry.namespace, entry);
    if (entry.leases === 0) this.#tellNext();
  }

  #spare(): Entry | undefined {
    return [...this.#entries.values()].find((entry) => isIdle(entry));
  }

  #wait(deadline: number): Promise<void> {
    const { maxWaiting, maxOpen } = this.#options;
    if (this.#waiting.size >= maxWaiting) throw tooMany(maxOpen);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(tooMany(maxOpen));
      }, deadline - performance.now());
      const waiting: Waiting = {
        go: () => {
          clearTimeout(late);
          this.#waiting.delete(waiting);
          resolve();
        },
      };
      this.#waiting.add(waiting);
    });
  }

  #tellNext(): void {
    const [next] = this.#waiting;
    next?.go();
  }

  #closeIdle(): void {
    const before = Date.now() - this.#options.idleMs;
    for (const entry of [...this.#entries.values()]) if (entry.usedAt <= before && isIdle(entry)) void this.#close(entry);
  }

  /** Closes a namespace that is open, whoever uses it. */
  async end(namespace: number): Promise<void> {
    const entry = this.#entries.get(namespace);
    if (entry === undefined) return;
    await entry.opening.catch(() => undefined);
    await this.#close(entry);
  }

  /** Never rejects. */
  #close(entry: Entry): Promise<void> {
    entry.closing ??= (async () => {
      try {
        await entry.kernel.close();
      } catch (thrown) {
        this.#options.failed(thrown, entry.namespace);
      } finally {
        this.#gone(entry);
      }
    })();
    return entry.closing;
  }

  #gone(entry: Entry): void {
    if (this.#entries.get(entry.namespace) !== entry) return;
    this.#entries.delete(entry.namespace);
    this.#options.changed(this.kernels);
    this.#tellNext();
  }

  /** Closes all of them, and opens no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const { go } of [...this.#waiting]) go();
    await Promise.all([...this.#entries.keys()].map((namespace) => this.end(namespace)));
  }
}

/** Exports and checks of administrators go on after their answer. */
function isIdle({ leases, isOpen, closing, kernel }: Entry): boolean {
  return leases === 0 && isOpen && closing === undefined && !kernel.hasTasks();
}

function tooMany(maxOpen: number): QuernError {
  return new QuernError("OVERLOADED", `As many namespaces are in use as may be open (${maxOpen}, maxOpen). Try again in a moment.`);
}
