// A live query of one client over a WebSocket or an event stream, and what it hears.

import { expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { eventually } from "../../support/eventually.ts";
import type { Client } from "./accounts-server.ts";

export interface Watch {
  /** Everything that came, as text. */
  readonly heard: readonly string[];
  /** The query is over: by an error, or because its connection is closed. */
  readonly isOver: boolean;
}

export type Watching = (client: Client, query: string) => Watch;

export const watchings: Readonly<Record<"a WebSocket" | "an event stream", Watching>> = {
  "a WebSocket": (client, query) => {
    const watch = { heard: [] as string[], isOver: false };
    const headers = { cookie: client.cookie, origin: client.url };
    const socket = new WebSocket(`${client.url.replace("http", "ws")}/graphql`, "graphql-transport-ws", { headers });
    socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init" })));
    socket.on("close", () => {
      watch.isOver = true;
    });
    socket.on("message", (data) => {
      const { type } = JSON.parse(String(data));
      if (type === "connection_ack") socket.send(JSON.stringify({ type: "subscribe", id: "1", payload: { query: `subscription ${query}` } }));
      else watch.heard.push(String(data));
      if (type === "error" || type === "complete") watch.isOver = true;
    });
    onTestFinished(() => socket.terminate());
    return watch;
  },
  "an event stream": (client, query) => {
    const watch = { heard: [] as string[], isOver: false };
    const stopping = new AbortController();
    const read = async () => {
      const response = await client.send("/graphql", {
        method: "POST",
        body: JSON.stringify({ query: `subscription ${query}` }),
        headers: { "content-type": "application/json", accept: "text/event-stream" },
        signal: stopping.signal,
      });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) watch.heard.push(step.value);
    };
    void read()
      .catch(() => undefined)
      .finally(() => {
        watch.isOver = true;
      });
    onTestFinished(() => stopping.abort());
    return watch;
  },
};

/** Waits for the first result: what ends the session before it makes the query one of nobody. */
export async function begun({ heard }: Watch): Promise<void> {
  await eventually(() => expect(heard.join("")).toContain('"data"'));
}
