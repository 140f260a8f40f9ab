// What runs for subscriptions, as administrators see it. Values of documents and conditions are masked: they may be secret.

import { type LiveQueryReport, type LiveReport, maskLiterals, printPredicate } from "../../../core/plugin.ts";
import type { Dependency, NodeDependency } from "./dependencies/dependency.ts";
import type { SharedQuery } from "./sharing/shared-query.ts";

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
  return other.members.size - one.members.size || other.runs - one.runs;
}

function reportOf(query: SharedQuery): LiveQueryReport {
  const { operation, members, state, begunAt, runs, runsInVain, lastRunMs, wakes, lastWake, reads, registrations } = query;
  return {
    name: operation.name,
    document: cut(maskLiterals(operation.document.slice(0, maxMasked)), maxDocument),
    subscriptions: members.size,
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
