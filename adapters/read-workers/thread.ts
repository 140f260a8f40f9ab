// What runs in the thread of a read worker: a read kernel on the store that the kernel's thread has open.

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { createReadKernel, type HandedAnswer, type KernelConfig, type ReadKernel } from "../../core/index.ts";
import { collectWhenIdle } from "../idle-memory/index.ts";
import type { FromThread, ThreadStart, ToThread } from "./messages.ts";

if (parentPort) void run(parentPort, workerData);

async function run(port: MessagePort, start: ThreadStart): Promise<void> {
  const send = (message: FromThread) => port.postMessage(message);
  try {
    const kernel = await openKernel(start, (entry) => send({ kind: "log", entry }));
    const { deployed } = kernel;
    new Queries(port, kernel);
    if (start.collectWhenIdle) collectWhenIdle();
    send({ kind: "ready", deployed: deployed && { version: deployed.version, document: deployed.document } });
  } catch (thrown) {
    send({ kind: "failed", reason: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

async function openKernel({ config, argument, seat, settings }: ThreadStart, write: (entry: Logged) => void): Promise<ReadKernel> {
  const { storage, plugins = [] } = await loaded(config, argument);
  if (storage.readers === undefined) throw new TypeError(`the storage ${storage.name} of ${config} cannot be read by several threads`);
  const kernel = createReadKernel({
    storage: storage.readers.storage(seat),
    // Who asks is known when a query comes: plugins that ask for users are not needed, and might expect a server around them.
    plugins: plugins.filter(({ access }) => access === undefined),
    settings,
    log: { to: { write } },
  });
  await kernel.open();
  return kernel;
}

type Logged = Extract<FromThread, { kind: "log" }>["entry"];

async function loaded(config: string, argument: unknown): Promise<KernelConfig> {
  const module: { readonly default?: unknown } = await import(config);
  const made: unknown = typeof module.default === "function" ? await module.default(argument) : module.default;
  if (isConfig(made)) return made;
  throw new TypeError(`the default export of ${config} is no configuration with a storage`);
}

function isConfig(made: unknown): made is KernelConfig {
  return typeof made === "object" && made !== null && "storage" in made;
}

/** Answers the queries that come. */
class Queries {
  readonly #port: MessagePort;
  readonly #kernel: ReadKernel;
  /** By the id of a query: called when its client has gone. */
  readonly #gone = new Map<number, () => void>();

  constructor(port: MessagePort, kernel: ReadKernel) {
    this.#port = port;
    this.#kernel = kernel;
    port.on("message", (message: ToThread) => this.#take(message));
  }

  #take(message: ToThread): void {
    switch (message.kind) {
      case "query":
        void this.#answer(message);
        return;
      case "gone":
        this.#gone.get(message.id)?.();
        return;
      case "unsent":
        this.#kernel.unsent(message.bytes);
        return;
      case "close":
        void this.#close();
    }
  }

  async #answer({ id, query }: Extract<ToThread, { kind: "query" }>): Promise<void> {
    let isGone = false;
    let listener: (() => void) | undefined;
    this.#gone.set(id, () => {
      isGone = true;
      listener?.();
    });
    const answer = await this.#kernel.answer(query, (listen) => {
      listener = listen;
      if (isGone) listen();
    });
    this.#gone.delete(id);
    const sent = answer && transferable(answer);
    const message: FromThread = { kind: "answer", id, answer: sent };
    this.#port.postMessage(
      message,
      typeof sent?.body === "object" ? sent.body.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : [])) : [],
    );
  }

  async #close(): Promise<void> {
    await this.#kernel.close();
    this.#port.close();
  }
}

/** Each piece in memory of its own: what is transferred is gone here, and small buffers share theirs. */
function transferable(answer: HandedAnswer): HandedAnswer {
  if (typeof answer.body === "string") return answer;
  return { ...answer, body: answer.body.map((piece) => (piece.byteLength === piece.buffer.byteLength ? piece : new Uint8Array(piece))) };
}
