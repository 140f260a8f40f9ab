// What calls the hooks of a kernel's plugins: how long it waits for them, and who hears when one holds the event loop.

import { defaultLimits, type Limits } from "../../ground/limits.ts";
import { type Closing, FixedPatience, type Patience } from "../../ground/patience.ts";
import type { PluginPlace } from "../../ground/plugin-fault.ts";

/** How long a hook may run without a pause before the log names it, in milliseconds. */
const longMs = 500;

export interface HookHostOptions {
  readonly limits: Pick<Limits, "maxTimeMs" | "openMs" | "surveyMs" | "closeMs">;
  /** Undefined: the kernel never closes. */
  readonly closing?: Closing | undefined;
  /** Called after a hook that has held the event loop for so long. */
  readonly held?: (place: PluginPlace, ms: number) => void;
}

export class HookHost {
  /** For what belongs to no request. */
  readonly work: Patience;
  readonly opening: Patience;
  readonly surveying: Patience;
  readonly closing: Patience;
  readonly #held: HookHostOptions["held"];
  /** Milliseconds that were reported: a hook that other hooks run in is not blamed for them again. */
  reported = 0;

  constructor({ limits, closing, held }: HookHostOptions) {
    this.work = new FixedPatience(limits.maxTimeMs, "maxTimeMs", closing);
    this.opening = new FixedPatience(limits.openMs, "openMs", closing);
    this.surveying = new FixedPatience(limits.surveyMs, "surveyMs", closing);
    this.closing = new FixedPatience(limits.closeMs, "closeMs");
    this.#held = held;
  }

  /**
   * A call has returned.
   *
   * @param begun when it began, in milliseconds of `performance.now()`
   * @param reported what was reported then
   */
  returned(place: PluginPlace, begun: number, reported: number): void {
    const ms = performance.now() - begun;
    if (ms >= longMs) this.#report(place, ms - (this.reported - reported));
  }

  #report(place: PluginPlace, ms: number): void {
    if (ms < longMs) return;
    this.reported += ms;
    this.#held?.(place, ms);
  }
}

/** For tools that serve nothing. */
export const quietHost = (): HookHost => new HookHost({ limits: defaultLimits });
