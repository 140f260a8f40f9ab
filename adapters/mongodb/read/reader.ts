// The context of a read: the layout, the source of documents, the request's budget.

import type { Document } from "mongodb";
import { type Budget, holdsMoreThan } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";
import type { Query, Source } from "../session/source.ts";
import { inSlices } from "../session/take.ts";
import { ReaderTurns } from "../session/turns.ts";
import type { KeptDocuments } from "./kept-documents.ts";
import type { KnownCounts } from "./known-counts.ts";
import { KnownPartners } from "./known-partners.ts";
import { shownQuery } from "./query-text.ts";

/** Operands, operators and the like of a pipeline that are encoded in less than two milliseconds. */
const longPipeline = 2_000;

export interface ReaderOptions {
  readonly schema: LayoutRuntime;
  readonly source: Source;
  readonly budget: Budget | undefined;
  readonly sent?: ((query: string) => void) | undefined;
  /** Set in a transaction. */
  readonly documents?: KeptDocuments;
  /** Not in a transaction. */
  readonly counts?: KnownCounts | undefined;
}

type HowToRead = Pick<Query, "streamed" | "few">;

export class Reader {
  readonly schema: LayoutRuntime;
  readonly source: Source;
  readonly budget: Budget | undefined;
  readonly turns: ReaderTurns;
  readonly documents: KeptDocuments | undefined;
  /** Undefined too where the caller wants to see each query. */
  readonly counts: KnownCounts | undefined;
  readonly partners = new KnownPartners();
  readonly #sent: ((query: string) => void) | undefined;

  constructor(options: ReaderOptions) {
    this.schema = options.schema;
    this.source = options.source;
    this.budget = options.budget;
    this.turns = new ReaderTurns(options.budget);
    this.documents = options.documents;
    this.counts = options.sent === undefined ? options.counts : undefined;
    this.#sent = options.sent;
  }

  /** Whether stages may look up what another collection has: in a transaction, routers before MongoDB 8.0 refuse it. */
  get mayLookUp(): boolean {
    return !(this.schema.sharded && this.documents?.keeps);
  }

  /** One query. `visit` returns false to end it. */
  async each(collection: string, pipeline: readonly Document[], visit: (doc: Doc) => unknown, options: HowToRead = {}): Promise<void> {
    this.#sent?.(shownQuery(collection, pipeline));
    // Its condition was compiled in this turn.
    if (this.turns.isTurnOver && holdsMoreThan(longPipeline, pipeline)) await this.turns.turn();
    const take = inSlices(this, visit);
    await this.source.aggregate({ collection, pipeline, budget: this.budget, ...options }, take);
  }
}
