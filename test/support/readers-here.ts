// Read workers without threads: every query that may leave the kernel is answered by a read kernel on a storage that reads along, from plain data that was
// sent as between threads. What specs say of the kernel must hold there too.

import { workerPlacement } from "../../adapters/read-workers/index.ts";
import {
  createReadKernel,
  type HandedAnswer,
  type HandedQuery,
  type HandedQueryCaller,
  type ReadKernel,
  type ReadWorkers,
  type ReadWorkersHost,
  type WorkerPlacement,
} from "../../core/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import type { ReaderSeat } from "../../core/storage.ts";

export class ReadersHere implements ReadWorkers {
  readonly placement: WorkerPlacement;
  /** Queries that a read kernel has answered. */
  answered = 0;
  readonly #plugins: readonly DirectivePlugin[];
  #host: ReadWorkersHost | undefined;
  #reader: Promise<Reader> | undefined;

  /** @param plugins of the kernel */
  constructor(plugins: readonly DirectivePlugin[], fromCost = 0) {
    this.#plugins = plugins;
    this.placement = workerPlacement(fromCost);
  }

  get counters() {
    return { ready: 1, running: 0, handedTotal: this.answered, restartsTotal: 0 };
  }

  open(host: ReadWorkersHost): void {
    this.#host = host;
  }

  async close(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await (await reader)?.end();
  }

  async run(query: HandedQuery, caller: HandedQueryCaller): Promise<HandedAnswer | undefined> {
    let answer = await this.#ask(query, caller);
    if (answer === undefined) {
      // Another schema was deployed.
      await this.close();
      answer = await this.#ask(query, caller);
    }
    if (answer !== undefined) this.answered++;
    return structuredClone(answer);
  }

  async #ask(query: HandedQuery, caller: HandedQueryCaller): Promise<HandedAnswer | undefined> {
    if (this.#host === undefined) return undefined;
    this.#reader ??= Reader.begin(this.#host, this.#plugins, () => this.close());
    return await (await this.#reader).kernel.answer(structuredClone(query), (listener) => caller.onGone(listener));
  }

  replaced(): void {}

  unsent(): void {}
}

class Reader {
  readonly kernel: ReadKernel;
  readonly #seat: ReaderSeat;

  private constructor(kernel: ReadKernel, seat: ReaderSeat) {
    this.kernel = kernel;
    this.#seat = seat;
  }

  static async begin({ storage, settings, log }: ReadWorkersHost, plugins: readonly DirectivePlugin[], revoke: () => Promise<void>): Promise<Reader> {
    if (storage.readers === undefined) throw new Error(`${storage.name} has no readers`);
    const seat = await storage.readers.admit({ cacheBytes: 32 << 20, revoke });
    const { data } = structuredClone({ data: seat.data }, { transfer: [...seat.transfer] });
    const kernel = createReadKernel({
      storage: storage.readers.storage(data),
      plugins: plugins.filter(({ access }) => access === undefined),
      settings,
      log: { to: log },
    });
    await kernel.open();
    return new Reader(kernel, seat);
  }

  async end(): Promise<void> {
    await this.kernel.close();
    this.#seat.leave();
  }
}
