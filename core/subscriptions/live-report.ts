// What runs for subscriptions, as administrators see it. Values of documents and conditions are masked: they may be secret.

import { printPredicate } from "../query/plan/print-predicate.ts";
import { maskLiterals } from "../telemetry/mask-literals.ts";
import type { Dependency, NodeDependency } from "./dependency.ts";
import type { SharedQuery } from "./shared-query.ts";
import type { Wake } from "./wake.ts";

/** One live query and the subscriptions that share it. */
export interface LiveQueryReport {
  /** The operation's name in the document. */
  readonly name: string | undefined;
  /** Strings and numbers are masked; cut to 2,000 characters. */
  readonly document: string;
  readonly subscriptions: number;
  readonly state: SharedQuery["state"];
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly runs: number;
  /** Runs after a commit that found the same data. */
  readonly runsInVain: number;
  readonly lastRunMs: number | undefined;
  /** How often commits woke it. */
  readonly wakes: number;
  readonly lastWake: Wake | undefined;
  /** What of their tokens and headers keeps callers apart: those who agree in it share the query. Names, no values. */
  readonly separatedBy: readonly string[];
  /** What its answer depends on, the first few: a commit that touches nothing of it does not wake the query. */
  readonly dependsOn: readonly string[];
}

/** What runs for the subscriptions. */
export interface LiveReport {
  /** All live queries; `queries` lists a part of them. */
  readonly total: number;
  /** Those with the most subscriptions first, then those that ran most often. */
  readonly queries: readonly LiveQueryReport[];
}

const maxDocument = 2_000;
const maxMasked = 20_000;
const maxDependencies = 20;
const maxLine = 500;

/** @param most the length of the list */
export function liveReport(queries: ReadonlySet<SharedQuery>, most: number): LiveReport {
  return { total: queries.size, queries: busiest(queries, most).map(reportOf) };
}

/** One pass and a short list: there may be a hundred thousand queries. */
function busiest(queries: Iterable<SharedQuery>, most: number): readonly SharedQuery[] {
  const found: SharedQuery[] = [];
  for (const query of queries) {
    const last = found.at(-1);
    if (found.length >= most && (last === undefined || order(query, last) >= 0)) continue;
    const place = found.findIndex((each) => order(query, each) < 0);
    found.splice(place < 0 ? found.length : place, 0, query);
    if (found.length > most) found.pop();
  }
  return found;
}

function order(one: SharedQuery, other: SharedQuery): number {
  return other.subscribers.size - one.subscribers.size || other.runs - one.runs;
}

function reportOf(query: SharedQuery): LiveQueryReport {
  const { operation, subscribers, state, begunAt, runs, runsInVain, lastRunMs, wakes, lastWake, reads, registrations } = query;
  return {
    name: operation.name,
    document: cut(maskLiterals(operation.request.query.slice(0, maxMasked)), maxDocument),
    subscriptions: subscribers.size,
    state,
    since: begunAt,
    runs,
    runsInVain,
    lastRunMs,
    wakes,
    lastWake,
    separatedBy: reads.paths().names(),
    dependsOn: registrations.slice(0, maxDependencies).map(({ dependency }) => cut(printDependency(dependency), maxLine)),
  };
}

function printDependency(dependency: Dependency): string {
  if (dependency.kind === "nodes") return printNodes(dependency);
  return `links ${dependency.end} of ${dependency.from.size} nodes to ${printNodes(dependency.partners)}`;
}

function printNodes({ types, where }: NodeDependency): string {
  const condition = where.kind === "all" ? "" : ` where ${printPredicate(where, { masked: true })}`;
  return `${[...types].join(" | ")}${condition}`;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
