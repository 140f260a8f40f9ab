// What is written to hidden types in the commit of a mutation that the plugin itself sends. A mutation carries only what the API knows; the rest waits here under
// a name that nobody can guess, which the hooks of the mutation find in its headers.

import { randomUUID } from "node:crypto";
import type { RequestView } from "../../../core/plugin.ts";
import type { Row } from "./rows.ts";

const header = "x-accounts-rider";

export class Riders {
  readonly #waiting = new Map<string, Partial<Row>>();

  /** @param work sends the mutation with the headers */
  async carry(profile: Partial<Row>, work: (headers: Readonly<Record<string, string>>) => Promise<void>): Promise<void> {
    const name = randomUUID();
    this.#waiting.set(name, profile);
    try {
      await work({ [header]: name });
    } finally {
      this.#waiting.delete(name);
    }
  }

  /** What belongs to the profile of the user whom the request's mutation writes; undefined: it is not the plugin's. */
  of({ headers }: RequestView): Partial<Row> | undefined {
    const name = headers[header];
    return name === undefined ? undefined : this.#waiting.get(name);
  }
}
