// Calls back after each commit of any client.

import { useEffect, useRef } from "preact/hooks";
import { at } from "../api/json.ts";
import type { Server } from "../api/server.ts";

const pauseMs = 2_000;

/** @param onChange called with the number of commits; 0 where some may have been missed */
export function useChanges(server: Server, onChange: (commits: number) => void): void {
  const listener = useRef(onChange);
  listener.current = onChange;
  useEffect(() => {
    const stop = new AbortController();
    void listen(server, (commits) => listener.current(commits), stop.signal);
    return () => stop.abort();
  }, [server]);
}

/** Connects again after a pause whenever the stream ends: then anything may have changed. */
async function listen(server: Server, onChange: (commits: number) => void, signal: AbortSignal): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (!isFirst && !signal.aborted) onChange(0);
    await server.events({ path: "admin/changes" }, (event) => onChange(Number(at(event, "commits") ?? 0)), signal).catch(() => {});
  }
}
