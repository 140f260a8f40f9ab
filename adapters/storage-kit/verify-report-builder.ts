// What checking a store has found: gathers faults, and counts what was mended.

import { andThen, type Fault, type MaybePromise, type VerifyReport } from "../../core/index.ts";

const listedFaults = 1_000;

export class VerifyReportBuilder {
  readonly repairs: boolean;
  nodes = 0;
  links = 0;
  entries = 0;
  readonly #faults: Fault[] = [];
  #faultCount = 0;
  #repaired = 0;

  constructor({ repairs }: { readonly repairs: boolean }) {
    this.repairs = repairs;
  }

  /** Notes a fault and, when repairing, mends it: at once where `mend` does. */
  fault(kind: Fault["kind"], message: string, mend?: () => MaybePromise<unknown>): MaybePromise<void> {
    this.#faultCount++;
    if (this.#faults.length < listedFaults) this.#faults.push({ kind, message });
    if (!this.repairs || mend === undefined) return;
    return andThen(mend(), () => {
      this.#repaired++;
    });
  }

  get mended(): boolean {
    return this.#repaired > 0;
  }

  report(): VerifyReport {
    return {
      nodes: this.nodes,
      links: this.links,
      entries: this.entries,
      faults: this.#faults,
      faultCount: this.#faultCount,
      repaired: this.#repaired,
    };
  }
}
