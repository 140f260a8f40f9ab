// The errors of one request: what is logged carries the request's id.

import type { RequestView } from "../contracts/plugin.ts";
import type { Log } from "../observe/log.ts";
import type { ErrorView } from "./faults.ts";

export class RequestErrors implements ErrorView {
  readonly debug: boolean;
  /** A fault was among them. */
  faulted = false;
  readonly #log: Log;
  readonly #request: Pick<RequestView, "id">;

  constructor(log: Log, debug: boolean, request: Pick<RequestView, "id">) {
    this.#log = log;
    this.debug = debug;
    this.#request = request;
  }

  log(fault: unknown): void {
    this.faulted = true;
    this.#log.fault(fault, { requestID: this.#request.id });
  }

  logHidden(message: string): void {
    this.#log.info("hidden", `not shown to the caller: ${message}`, { requestID: this.#request.id });
  }
}
