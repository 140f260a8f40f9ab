// Collects the faults that a check of a store finds, and counts repairs.

import { andThen, type Fault, type FieldLayout, type MaybePromise, type VerifyReport } from "../../core/storage.ts";

/** The message of a fault of the kind `value`. */
export function misfitText({ name, kind, list }: Pick<FieldLayout, "name" | "kind" | "list">, node: string): string {
  return `${name} of ${node} holds a value that is no ${list ? `list of ${kind}` : kind}; write it anew, since no repair knows what it should be`;
}

const listedFaults = 1_000;

/** The report of `Storage.verify`. It lists 1,000 faults at most and counts all. */
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

  /** Notes a fault; with `repairs` calls `mend`. Returns a promise only when `mend` does. */
  fault(kind: Fault["kind"], message: string, mend?: () => MaybePromise<unknown>): MaybePromise<void> {
    this.#faultCount++;
    if (this.#faults.length < listedFaults) this.#faults.push({ kind, message });
    if (!this.repairs || mend === undefined) return;
    return andThen(mend(), () => {
      this.#repaired++;
    });
  }

  /** Whether at least one fault was repaired. */
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
