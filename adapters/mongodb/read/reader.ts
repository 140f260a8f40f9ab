// What every read works with: the layout, the source that answers, the request's budget.

import type { Document } from "mongodb";
import type { Budget, Linked, Predicate, TypeName, Uid } from "../../../core/index.ts";
import type { Doc } from "../connection.ts";
import type { Schema } from "../layout/schema.ts";
import { findRows } from "./find.ts";
import type { Joined } from "./linked.ts";
import { shownQuery } from "./shown-query.ts";
import type { Source } from "./source.ts";

/** Rows between two questions to the budget. */
const askEvery = 256;

export interface ReaderOptions {
  readonly schema: Schema;
  readonly source: Source;
  readonly budget: Budget | undefined;
  readonly sent?: ((query: string) => void) | undefined;
}

export class Reader {
  readonly schema: Schema;
  readonly source: Source;
  readonly budget: Budget | undefined;
  readonly #sent: ((query: string) => void) | undefined;

  constructor(options: ReaderOptions) {
    this.schema = options.schema;
    this.source = options.source;
    this.budget = options.budget;
    this.#sent = options.sent;
  }

  /** One query. `visit` returns false to end it. */
  async each(collection: string, pipeline: readonly Document[], visit: (doc: Doc) => unknown, { streamed } = { streamed: false }): Promise<void> {
    this.#sent?.(shownQuery(collection, pipeline));
    await this.source.aggregate({ collection, pipeline, budget: this.budget, streamed }, (docs) => {
      for (let from = 0; from < docs.length; from += askEvery) {
        const to = Math.min(docs.length, from + askEvery);
        this.budget?.spend(to - from);
        for (let i = from; i < to; i++) {
          const doc = docs[i];
          if (doc !== undefined && visit(doc) === false) return false;
        }
      }
      return true;
    });
  }

  /** Ascending. */
  async uidsOf(types: readonly TypeName[], where: Predicate, joined: ReadonlyMap<Linked, Joined>): Promise<Uid[]> {
    return (await findRows(this, { types, where, joined, fields: [] })).map((row) => row.uid);
  }
}
