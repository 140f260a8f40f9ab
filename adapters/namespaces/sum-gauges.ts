// The gauges of a server with namespaces: those of namespace 0, with what the open ones have of the same. No label names a namespace.

import type { Kernel } from "../../core/index.ts";

/** Counters are left out: a namespace that closes would take its share back. So is what the store of namespace 0 says of itself. */
const summed: readonly string[] = [
  "requestsRunning",
  "requestsWaiting",
  "longRequestsRunning",
  "longRequestsWaiting",
  "mutationsRunning",
  "liveClients",
  "liveSubscriptions",
  "liveQueries",
  "liveRunsDue",
];

type Read = Kernel["gauges"]["read"];

/** @param others the kernels of open namespaces */
export function summedGauges(read: Read, others: () => readonly Pick<Kernel, "gauges">[]): Read {
  return () => {
    const all = [read(), ...others().map(({ gauges }) => gauges.read())];
    const sums = summed.map((name) => [name, all.reduce((sum, each) => sum + (each[name] ?? 0), 0)]);
    return { ...all[0], ...Object.fromEntries(sums) };
  };
}
