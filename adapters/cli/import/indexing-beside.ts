// Starts the thread that builds the indexes of an import while it goes on.

import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { Deployment } from "../../../core/index.ts";
import type { IndexThread, Storage } from "../../../core/storage.ts";
import { moduleFile } from "../stack/own-modules.ts";
import type { StackChoice } from "../stack/stack.ts";

/** A thread takes half a second of a core to start: with fewer nodes, the indexes are built by then. */
const nodesBefore = 5_000;

/** What the thread starts with. */
export interface IndexingData {
  /** Of `IndexThreads.begin`. */
  readonly indexing: unknown;
  readonly choice: StackChoice;
  readonly document: string;
  readonly kept: Deployment["kept"];
}

export class IndexingBeside {
  readonly #storage: Storage;
  readonly #deployment: Pick<Deployment, "document" | "kept">;
  readonly #choice: StackChoice;
  #created = 0;
  /** One core is the import's own. */
  #hasBegun = availableParallelism() < 2;

  constructor(storage: Storage, { document, kept }: Pick<Deployment, "document" | "kept">, choice: StackChoice) {
    this.#storage = storage;
    this.#deployment = { document, kept };
    this.#choice = choice;
  }

  /** So many nodes more come. */
  created(count: number): void {
    this.#created += count;
    if (this.#hasBegun || this.#created < nodesBefore) return;
    this.#hasBegun = true;
    // Without the thread, the end of the import builds the indexes. A store that cannot be written shows that in the import itself.
    void this.#storage.indexThreads?.begin((indexing, transfer) => this.#start(indexing, transfer)).catch(() => undefined);
  }

  #start(indexing: unknown, transfer: Parameters<Parameters<NonNullable<Storage["indexThreads"]>["begin"]>[0]>[1]): IndexThread {
    const data: IndexingData = { indexing, choice: this.#choice, ...this.#deployment };
    const file = pathToFileURL(moduleFile("adapters/cli/import/index-thread"));
    const worker = new Worker(file, { name: "quern-indexes", workerData: data, transferList: [...transfer] });
    worker.unref();
    const ended = new Promise<void>((resolve) => {
      worker.on("error", () => resolve());
      worker.on("exit", () => resolve());
    });
    return {
      ended,
      async end() {
        await worker.terminate();
      },
    };
  }
}
