// What is written to hidden types in the commit of a mutation that the plugin itself sends. A mutation carries only what the API knows; the rest waits here under
// a name that nobody can guess, which the hooks of the mutation find in its headers.

import { randomUUID } from "node:crypto";
import type { RequestView } from "../../../core/plugin.ts";
import type { Row } from "./rows.ts";

const header = "x-accounts-rider";

/** The profile of the user whom a mutation writes; or what is called when a mutation that is only tried would succeed: it throws. */
export type Rider = Partial<Row> | (() => never);

export class Riders {
  readonly #waiting = new Map<string, Rider>();

  /** @param work sends the mutation with the headers */
  async carry<T>(rider: Rider, work: (headers: Readonly<Record<string, string>>) => Promise<T>): Promise<T> {
    const name = randomUUID();
    this.#waiting.set(name, rider);
    try {
      return await work({ [header]: name });
    } finally {
      this.#waiting.delete(name);
    }
  }

  /** Undefined: the request's mutation is not the plugin's. */
  of({ headers }: RequestView): Rider | undefined {
    const name = headers[header];
    return name === undefined ? undefined : this.#waiting.get(name);
  }
}
