// What a component that runs beside the kernel, such as the HTTP server, hears of it.

import type { EndedOperation } from "./metrics.ts";

/**
 * Every member is optional. None may throw, except `opening`.
 *
 *     const observer: KernelObserver = { opened: async () => void (isReady = true), leaving: () => void (isReady = false) };
 */
export interface KernelObserver {
  /** Called before the store opens. A rejection makes `kernel.open` fail with it. */
  opening?(): Promise<void>;
  /** Called when the store is open and the deployed schema is served. */
  opened?(): Promise<void>;
  /** Called when another schema is served from now on, or none. */
  replaced?(): void;
  /** Called when data were erased. Metadata may be gone with them. */
  erased?(): void;
  /** Called when connected clients must disconnect, because the server drains or the kernel closes. */
  leaving?(): void;
  /** The documents that clients rely on, such as trusted documents. `kernel.compare` lists those that a new schema breaks. */
  documents?(): Iterable<readonly [id: string, text: string]>;
  /** Whether the steps of operations are timed for it (`EndedOperation.steps`). It costs two looks at the clock for each. Default: false. */
  readonly timesSteps?: boolean;
  /** Called when a GraphQL operation has ended, over any transport or without one, as `Metrics.operation` is. The answer waits for it: it must return at once. */
  ended?(operation: EndedOperation): void;
}
