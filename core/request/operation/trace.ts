// `extensions.tracing`: when each root field of a request ran, and for how long. Times are whole nanoseconds.

import type { GraphQLSchema } from "graphql";
import type { RootPlan } from "../../query/plan/plan.ts";

/** Members of `extensions` in answers. */
export interface ExtensionOptions {
  /** Whether answers have `extensions.tracing`. It costs time; default: false. */
  readonly tracing?: boolean;
}

/** What clients of Apollo's tracing format, version 1, read. */
export interface TraceJson {
  readonly version: 1;
  /** RFC 3339 with nanoseconds. */
  readonly startTime: string;
  readonly endTime: string;
  readonly duration: number;
  readonly execution: { readonly resolvers: readonly RootTrace[] };
}

interface RootTrace {
  readonly path: readonly [alias: string];
  readonly parentType: "Query" | "Mutation";
  /** The name in the answer. */
  readonly fieldName: string;
  readonly returnType: string;
  readonly startOffset: number;
  readonly duration: number;
  /** The work on the store. */
  readonly dgraph: readonly [{ readonly label: "query" | "mutation"; readonly startOffset: number; readonly duration: number }];
}

export interface TracedRoot {
  readonly root: RootPlan;
  readonly kind: "query" | "mutation" | "subscription";
  readonly schema: GraphQLSchema;
}

/** Collects the root fields of one request. */
export class Trace {
  readonly #begun: number;
  readonly #resolvers = new Map<string, RootTrace>();

  /** @param begun when the request came, in milliseconds of `performance.now()` */
  constructor(begun: number) {
    this.#begun = begun;
  }

  /** Call it when the root field begins; the result, when it has ended. */
  begin({ root, kind, schema }: TracedRoot): () => void {
    const started = performance.now();
    const isMutation = kind === "mutation";
    const type = isMutation ? schema.getMutationType() : schema.getQueryType();
    return () => {
      const times = { startOffset: nanoseconds(started - this.#begun), duration: nanoseconds(performance.now() - started) };
      this.#resolvers.set(root.key, {
        path: [root.key],
        parentType: isMutation ? "Mutation" : "Query",
        fieldName: root.key,
        returnType: String(type?.getFields()[root.field]?.type),
        ...times,
        dgraph: [{ label: isMutation ? "mutation" : "query", ...times }],
      });
    };
  }

  /** @param keys the names of the root fields in the answer; the resolvers come in their order, not in that of their ends */
  json(keys: readonly string[] = []): TraceJson {
    const now = performance.now();
    return {
      version: 1,
      startTime: timeText(this.#begun),
      endTime: timeText(now),
      duration: nanoseconds(now - this.#begun),
      execution: { resolvers: keys.flatMap((key) => this.#resolvers.get(key) ?? []) },
    };
  }
}

function nanoseconds(ms: number): number {
  return Math.round(ms * 1e6);
}

/** The clock of `performance.now()` is finer than a `Date`. */
function timeText(ms: number): string {
  const sinceEpoch = performance.timeOrigin + ms;
  const seconds = new Date(Math.floor(sinceEpoch / 1_000) * 1_000).toISOString().slice(0, "2026-01-01T00:00:00".length);
  const fraction = Math.floor((sinceEpoch % 1_000) * 1e6);
  return `${seconds}.${String(fraction).padStart(9, "0")}Z`;
}
