// Reports each commit of any client to the pages, by one stream for all of them.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { at, type Json } from "../api/json.ts";
import type { Server } from "../api/server.ts";

const pauseMs = 2_000;

/** @param commits how many there were; 0 where some may have been missed: the stream has just begun */
export type ChangeListener = (commits: number) => void;

export interface Changes {
  /** @returns ends it */
  readonly listen: (listener: ChangeListener) => () => void;
}

/**
 * A stream is open while the page can be seen: browsers hold six connections to a server, over all tabs.
 *
 * @param onSchema called when another schema may be deployed
 */
export function useChangeStream(server: Server, { isOpen, onSchema }: { readonly isOpen: boolean; readonly onSchema: () => void }): Changes {
  const listeners = useRef(new Set<ChangeListener>());
  const schema = useRef<{ counter: Json | undefined; onChange: () => void }>({ counter: undefined, onChange: onSchema });
  schema.current.onChange = onSchema;
  useEffect(() => {
    if (!isOpen) return;
    const onEvent = (event: Json) => {
      const { current } = schema;
      const counter = at(event, "schema");
      if (counter !== current.counter) current.onChange();
      current.counter = counter;
      for (const listener of listeners.current) listener(Number(at(event, "commits") ?? 0));
    };
    return whileVisible((signal) => void follow(server, { onEvent, signal }));
  }, [server, isOpen]);
  return useMemo(
    () => ({
      listen: (listener) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [],
  );
}

/** Connects again after a pause whenever the stream ends. What was read before it opened may be older than its first event. */
async function follow(server: Server, following: Parameters<Server["events"]>[1]): Promise<void> {
  while (!following.signal.aborted) {
    await server.events({ path: "admin/changes" }, following).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Runs `work` while the page can be seen, each time with a signal that ends it. */
function whileVisible(work: (signal: AbortSignal) => void): () => void {
  let running: AbortController | undefined;
  const check = () => {
    if (document.visibilityState === "visible" && running === undefined) {
      running = new AbortController();
      work(running.signal);
    } else if (document.visibilityState !== "visible") {
      running?.abort();
      running = undefined;
    }
  };
  check();
  document.addEventListener("visibilitychange", check);
  return () => {
    document.removeEventListener("visibilitychange", check);
    running?.abort();
  };
}
