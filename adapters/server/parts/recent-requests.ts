// What happened to requests since the start, for administrators: counts and durations, the slowest documents, the last failures. All of it is bounded.

import type { EndedOperation, Outcome } from "../../../core/index.ts";

export type OperationKind = NonNullable<EndedOperation["kind"]>;

export interface RequestsReport {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Upper bounds of the buckets in milliseconds; the last bucket has none. */
  readonly boundsMs: readonly number[];
  readonly kinds: readonly KindReport[];
  /** The most frequent first. */
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  /** The same by code and operation; the last ones first. */
  readonly groups: readonly FailureGroup[];
  /** The newest first. */
  readonly recentFailures: readonly RecentFailure[];
  /** The slowest documents of the last hour, each with its slowest run, the slowest first. */
  readonly slow: readonly SlowDocument[];
}

export interface KindReport {
  readonly kind: OperationKind | "unknown";
  readonly count: number;
  readonly failed: number;
  /** How many took at most as long as the bound of the same place, and longer than the bound before. */
  readonly buckets: readonly number[];
}

/** Failures with one code in operations of one kind and name. */
export interface FailureGroup extends Pick<RecentFailure, "code" | "kind" | "name" | "requestID"> {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

export interface RecentFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requestID: string;
  readonly kind: EndedOperation["kind"];
  readonly name: string | undefined;
  /** An error code, or the outcome where there is none. */
  readonly code: string;
  readonly durationMs: number;
}

export interface SlowDocument
  extends Pick<EndedOperation, "requestID" | "kind" | "name" | "outcome" | "document" | "plan" | "touched" | "durationMs"> {
  /** Milliseconds since 1970. */
  readonly at: number;
}

const boundsMs = Array.from({ length: 18 }, (_, i) => 0.25 * 2 ** i);
const kinds = ["query", "mutation", "subscription", "unknown"] as const;
const maxFailures = 50;
const maxSlow = 50;
/** Clients choose the names of their operations. */
const maxGroups = 200;
/** What is faster is not slow, even where nothing is slower. */
const slowFromMs = 5;
const slowForMs = 3_600_000;

type SlowRun = Pick<SlowDocument, "at" | "durationMs">;

/** Whether a run of the last hour took longer than this. */
function isSlower({ at, durationMs }: SlowRun, thanMs: number): boolean {
  return durationMs > thanMs && at > Date.now() - slowForMs;
}

class KindTally {
  count = 0;
  failed = 0;
  readonly buckets = new Float64Array(boundsMs.length + 1);

  add(outcome: Outcome, durationMs: number): void {
    this.count++;
    if (outcome !== "ok") this.failed++;
    const place = durationMs <= 0.25 ? 0 : Math.min(boundsMs.length, Math.ceil(Math.log2(durationMs / 0.25)));
    this.buckets[place] = (this.buckets[place] ?? 0) + 1;
  }
}

/** Hears of every operation that has ended (`KernelObserver.ended`). */
export class RecentRequests {
  readonly #since = Date.now();
  readonly #tallies = { query: new KindTally(), mutation: new KindTally(), subscription: new KindTally(), unknown: new KindTally() };
  /** There are as many codes as the catalogue of errors and the outcomes have. */
  readonly #codes = new Map<string, number>();
  /** Those that failed last are at the end. */
  readonly #groups = new Map<string, FailureGroup>();
  readonly #failures: RecentFailure[] = [];
  /** By the hash of the masked document. */
  readonly #slow = new Map<string, SlowDocument>();
  /** By the prepared operation. */
  readonly #slowest = new WeakMap<object, SlowRun>();
  #slowFromMs = slowFromMs;

  add(ended: EndedOperation): void {
    const { kind, outcome, code = outcome, durationMs } = ended;
    this.#tallies[kind ?? "unknown"].add(outcome, durationMs);
    if (outcome !== "ok") this.#addFailure(ended, code);
    if (this.#isSlow(ended)) this.#addSlow(ended);
  }

  #addFailure({ requestID, kind, name, durationMs }: EndedOperation, code: string): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    this.#addToGroup({ code, kind, name, requestID });
    this.#failures.push({ at: Date.now(), requestID, kind, name, code, durationMs });
    if (this.#failures.length > maxFailures) this.#failures.shift();
  }

  #addToGroup(failure: Pick<FailureGroup, "code" | "kind" | "name" | "requestID">): void {
    const key = `${failure.code} ${failure.kind ?? ""} ${failure.name ?? ""}`;
    const now = Date.now();
    const { count, first } = this.#groups.get(key) ?? { count: 0, first: now };
    this.#groups.delete(key);
    this.#groups.set(key, { ...failure, count: count + 1, first, last: now });
    const [oldest] = this.#groups.keys();
    if (this.#groups.size > maxGroups && oldest !== undefined) this.#groups.delete(oldest);
  }

  /** Whether an operation belongs to the slowest. A document of which a slower run is known is neither masked nor hashed for it. */
  #isSlow({ durationMs, prepared }: EndedOperation): boolean {
    if (durationMs < this.#slowFromMs) return false;
    const known = prepared && this.#slowest.get(prepared);
    return known === undefined || !isSlower(known, durationMs);
  }

  #addSlow(ended: EndedOperation): void {
    const { documentHash, durationMs, prepared } = ended;
    const known = this.#slow.get(documentHash);
    if (prepared) this.#slowest.set(prepared, known !== undefined && isSlower(known, durationMs) ? known : { at: Date.now(), durationMs });
    if (known !== undefined && isSlower(known, durationMs)) return;
    // Reading the document and the plan prints them: only for what is kept.
    const { requestID, kind, name, outcome, document, plan, touched } = ended;
    this.#slow.set(documentHash, { at: Date.now(), requestID, kind, name, outcome, document, plan, touched, durationMs });
    this.#forget();
  }

  /** Drops what is old, then the fastest. */
  #forget(): void {
    for (const [hash, { at }] of this.#slow) if (at < Date.now() - slowForMs) this.#slow.delete(hash);
    while (this.#slow.size > maxSlow) this.#slow.delete(this.#fastest().hash);
    this.#slowFromMs = this.#slow.size < maxSlow ? slowFromMs : this.#fastest().durationMs;
  }

  #fastest(): { readonly hash: string; readonly durationMs: number } {
    let fastest = { hash: "", durationMs: Number.POSITIVE_INFINITY };
    for (const [hash, { durationMs }] of this.#slow) if (durationMs < fastest.durationMs) fastest = { hash, durationMs };
    return fastest;
  }

  report(): RequestsReport {
    this.#forget();
    return {
      since: this.#since,
      boundsMs,
      kinds: kinds.map((kind) => {
        const { count, failed, buckets } = this.#tallies[kind];
        return { kind, count, failed, buckets: [...buckets] };
      }),
      failures: [...this.#codes].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count),
      groups: [...this.#groups.values()].reverse(),
      recentFailures: [...this.#failures].reverse(),
      slow: [...this.#slow.values()].sort((a, b) => b.durationMs - a.durationMs),
    };
  }
}
