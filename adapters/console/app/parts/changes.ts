// Calls back after each commit of any client.

import { useEffect, useRef } from "preact/hooks";
import type { Server } from "../api/server.ts";

const pauseMs = 2_000;

export function useChanges(server: Server, onChange: () => void): void {
  const listener = useRef(onChange);
  listener.current = onChange;
  useEffect(() => {
    const stop = new AbortController();
    void listen(server, () => listener.current(), stop.signal);
    return () => stop.abort();
  }, [server]);
}

/** Connects again after a pause whenever the stream ends: then anything may have changed. */
async function listen(server: Server, onChange: () => void, signal: AbortSignal): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (!isFirst && !signal.aborted) onChange();
    await server.events({ path: "admin/changes" }, onChange, signal).catch(() => {});
  }
}
