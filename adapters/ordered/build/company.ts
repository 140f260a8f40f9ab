// Whether others write beside a long work: it then has fewer commits in flight, for which they wait.

import type { Engine } from "../keyspaces/engine.ts";

export class Company {
  readonly #engine: Engine;
  #own: number | undefined;
  #isAlone = true;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Call it in the writer's turn, of each commit of the work. */
  look(): void {
    const { stagedAt } = this.#engine;
    // Below it: the work had nothing to write.
    this.#isAlone = this.#own === undefined || stagedAt <= this.#own;
    this.#own = stagedAt + 1;
  }

  /** Nobody else has written between the last two commits of the work. */
  get isAlone(): boolean {
    return this.#isAlone;
  }
}
