// What the reads of one root field leave for the end: slow computed fields, and errors of plugins that belong to no value.

import type { MaybePromise } from "../../ground/values/value.ts";
import { run, together, type Work, wait } from "../../ground/work.ts";
import type { Aside, FailedField } from "../operation-context.ts";

/** Allocates nothing before it is used: few root fields need it. */
export class RootAside implements Aside {
  #errors: FailedField[] | undefined;
  #later: (() => MaybePromise<void>)[] | undefined;

  get errors(): readonly FailedField[] {
    return this.#errors ?? none;
  }

  get waits(): boolean {
    return this.#later !== undefined;
  }

  report(error: FailedField): void {
    this.#errors ??= [];
    this.#errors.push(error);
  }

  defer(work: () => MaybePromise<void>): void {
    this.#later ??= [];
    this.#later.push(work);
  }

  settle(): MaybePromise<void> {
    const later = this.#later;
    this.#later = undefined;
    return later && run(settled(later));
  }
}

const none: readonly never[] = Object.freeze([]);

function* settled(later: readonly (() => MaybePromise<void>)[]): Work<void> {
  yield* together(later.map(started));
}

function* started(work: () => MaybePromise<void>): Work<void> {
  yield* wait(work());
}
