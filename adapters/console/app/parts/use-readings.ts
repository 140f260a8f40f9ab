// What an administrative path says now, read again two seconds after each answer while the page is visible.

import { useEffect, useState } from "preact/hooks";
import { at, type Json } from "../api/json.ts";
import { useConsole } from "./console-context.ts";
import { type Sample, withSample } from "./samples.ts";
import { type Loading, useRequest } from "./use-request.ts";

const everyMs = 2_000;

export interface Readings extends Loading<Json> {
  readonly samples: readonly Sample[];
}

/** @param totals the counters in `data`, whose rates are drawn */
export function useReadings(path: string, totals: (data: Json | undefined) => Sample["totals"]): Readings {
  const { server } = useConsole();
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const { value, again, ...request } = useRequest(async () => at(await server.adminJson(path), "data") ?? null, [server, path]);
  const { isLoading } = request;
  useEffect(() => {
    if (isLoading) return;
    const timer = setInterval(() => document.visibilityState === "visible" && again(), everyMs);
    return () => clearInterval(timer);
  }, [isLoading, again]);
  useEffect(() => {
    if (value !== undefined) setSamples((before) => withSample(before, totals(value)));
  }, [value]);
  return { ...request, value, again, samples };
}
