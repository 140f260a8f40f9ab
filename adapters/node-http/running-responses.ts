// The responses of a server that have no answer yet.

import type { ServerResponse } from "node:http";

/**
 * Members come and go with every request. A `Set` would make garbage that only full collections free: each of its tables, once it is replaced, refers
 * to the next one. As soon as one table has become old, all later tables do, each with the requests in it. An array has no such chain; finding one
 * response among a thousand takes less than a microsecond.
 */
export class RunningResponses {
  readonly #responses: ServerResponse[] = [];

  add(response: ServerResponse): void {
    this.#responses.push(response);
  }

  /** Does nothing when it is not there. */
  delete(response: ServerResponse): void {
    const place = this.#responses.indexOf(response);
    if (place < 0) return;
    const last = this.#responses.pop();
    if (last !== undefined && last !== response) this.#responses[place] = last;
  }

  /** In no order. */
  all(): readonly ServerResponse[] {
    return [...this.#responses];
  }
}
