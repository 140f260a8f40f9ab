// Logs what keeps the store from serving and when that is over, and knows why a kernel could not be opened again.

import type { StoreTrouble } from "../contracts/storage/trouble.ts";
import { QuernError } from "../ground/errors.ts";
import type { Log } from "./log.ts";

/** What follows from a reason. No attempt repairs damage. */
const effects: Readonly<Record<StoreTrouble["kind"], (reason: string) => string>> = {
  "read-only": (reason) => `the store takes no writes: ${reason}; it is opened again when its disk can be written`,
  lost: (reason) => `the store is not open: ${reason}; it is opened again as soon as that is possible`,
  damaged: (reason) => `the store neither reads nor writes: ${reason}`,
  unreachable: (reason) => `the database cannot be reached: ${reason}; it is asked again until it answers`,
};

export class TroubleLog {
  readonly #log: Log;
  #lost: StoreTrouble | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Why the kernel is not open. */
  get lost(): StoreTrouble | undefined {
    return this.#lost;
  }

  /** Each reason is logged once. */
  lose(thrown: unknown): void {
    const reason = reasonOf(thrown);
    const since = this.#lost?.since ?? performance.now();
    if (this.#lost?.reason !== reason) {
      this.#log.fault(thrown, { where: "reopen" });
      this.note({ kind: "lost", reason, since });
    }
    this.#lost = { kind: "lost", reason, since };
  }

  forget(): void {
    this.#lost = undefined;
  }

  /** @param fault written whole */
  note(trouble: StoreTrouble | undefined, fault?: QuernError): void {
    if (fault !== undefined) this.#log.fault(fault, { where: "store" });
    if (trouble === undefined) this.#log.info("store", "the store reads and writes again");
    else this.#log.write("error", "store", effects[trouble.kind](trouble.reason), { kind: trouble.kind, reason: trouble.reason });
  }
}

/** Only what a storage says for this purpose is fit for everybody: messages may name places. */
function reasonOf(thrown: unknown): string {
  const reason = thrown instanceof QuernError ? thrown.details.reason : undefined;
  return typeof reason === "string" ? reason : "the log of the server says why";
}
