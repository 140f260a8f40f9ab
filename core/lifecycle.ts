// Opening and closing, one after the other: what is asked for twice is done once.

export interface LifecycleSteps {
  /** A failure leaves the thing closed: the step releases what it has opened. */
  readonly start: () => Promise<void>;
  /** Whatever it throws, the thing is closed afterwards. */
  readonly end: () => Promise<void>;
}

export class Lifecycle {
  readonly #steps: LifecycleSteps;
  #isOpen = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(steps: LifecycleSteps) {
    this.#steps = steps;
  }

  /** Does nothing where it is open. While it closes, waits for that. */
  open(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isOpen) return;
      await this.#steps.start();
      this.#isOpen = true;
    });
  }

  /** Does nothing where it is closed. While it opens, waits for that. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      await this.#steps.end();
    });
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const result = this.#turn.then(step);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
