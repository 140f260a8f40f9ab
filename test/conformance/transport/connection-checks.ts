// Connections: kept, shared, left by the client, and ended by the server.

import { ok, rejects, strictEqual } from "node:assert";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { QuernError } from "../../../core/transport.ts";
import { ask, type Check, query, watched } from "./kit.ts";
import { graceMs } from "./socket-checks.ts";

const small = query("{ __typename }");

export const connectionChecks: readonly Check[] = [
  {
    id: "connection.kept",
    level: "SHOULD",
    title: "one connection carries many requests",
    why: "Each request would pay for a new connection.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ports = new Set<number | undefined>();
      for (let i = 0; i < 3; i++) {
        const sent = request(new URL("/health", url), { agent }).end();
        const [response] = await once(sent, "response");
        ports.add(response.socket.localPort);
        await once(response.resume(), "end");
      }
      agent.destroy();
      strictEqual(ports.size, 1);
    },
  },
  {
    id: "connection.pipelined",
    level: "MUST",
    title: "two requests in one packet are answered in their order",
    why: "A client would take one answer for the other.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const one = (name: string) => `GET /graphql?query=%7B${name}:__typename%7D HTTP/1.1\r\nhost: x\r\n\r\n`;
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.write(one("first") + one("second"));
      let text = "";
      for await (const chunk of socket) {
        text += chunk;
        if (text.includes('"second"')) break;
      }
      const inOrder = text.indexOf('"first"') > 0 && text.indexOf('"first"') < text.indexOf('"second"');
      ok(inOrder, `expected the first answer, then the second, found ${text || "nothing"}`);
    },
  },
  {
    id: "connection.side-by-side",
    level: "MUST",
    title: "a request that waits holds up no other",
    why: "One slow query would stop everybody else.",
    run: async (bench) => {
      const gate = opened();
      const { url } = await bench.listen(watched(bench.kernel, ({ url: target }) => (target === "/health?slow" ? gate.passed : undefined)));
      const slow = ask(url, { method: "GET", target: "/health?slow" });
      const others = await Promise.all(Array.from({ length: 50 }, () => ask(url, small)));
      strictEqual(
        others.every(({ status }) => status === 200),
        true,
      );
      gate.open();
      strictEqual((await slow).status, 200);
    },
  },
  {
    id: "connection.gone",
    level: "MUST",
    title: "onGone is called for a client that disconnects before its answer, and not for one that has received it",
    why: "Work for clients that are gone would go on; work for others would be broken off.",
    run: async (bench) => {
      const left = opened();
      const arrived = opened();
      let goneOfAnswered = false;
      const endpoint = watched(bench.kernel, async ({ url: target, onGone }) => {
        if (target !== "/health?slow") return onGone?.(() => (goneOfAnswered = true));
        onGone?.(left.open);
        arrived.open();
        await left.passed;
      });
      const { url } = await bench.listen(endpoint);
      await ask(url, small);
      const sent = request(new URL("/health?slow", url), { agent: false }).end();
      sent.on("error", () => undefined);
      await arrived.passed;
      sent.destroy();
      await left.passed;
      strictEqual(goneOfAnswered, false);
    },
  },
  {
    id: "close.finishes",
    level: "MUST",
    title: "closing lets a running request finish, ends idle connections at once, and takes no new ones",
    why: "A restart would lose answers of writes that are done, or wait for idle connections for good.",
    run: async (bench) => {
      const gate = opened();
      const arrived = opened();
      const endpoint = watched(bench.kernel, () => {
        arrived.open();
        return gate.passed;
      });
      const listening = await bench.listen(endpoint);
      const idle = connect(Number(new URL(listening.url).port), "127.0.0.1");
      await once(idle, "connect");
      const running = ask(listening.url, small);
      await arrived.passed;
      const closed = listening.close(graceMs);
      await once(idle.resume(), "close");
      await rejects(ask(listening.url, small), "expected that a request after `close` is not taken, but it was answered");
      // A request that ended at once would be answered by a transport that waits for none, too.
      await after(50);
      gate.open();
      strictEqual((await running).status, 200);
      await closed;
    },
  },
  {
    id: "close.grace",
    level: "MUST",
    title: "closing waits for no request longer than its grace time",
    why: "One client could keep a server from stopping.",
    run: async (bench) => {
      const gate = opened();
      const arrived = opened();
      const endpoint = watched(bench.kernel, () => {
        arrived.open();
        return gate.passed;
      });
      const listening = await bench.listen(endpoint);
      const running = ask(listening.url, small);
      await arrived.passed;
      await Promise.all([listening.close(50), rejects(running, "expected that the running request is dropped after its grace, but it was answered")]);
      gate.open();
    },
  },
  {
    id: "listen.taken",
    level: "MUST",
    title: "a port that is taken is said with its code",
    why: "A user who starts a second server would have to read a stack trace.",
    run: async (bench) => {
      const { url } = await bench.listen();
      await rejects(bench.listen(bench.kernel, Number(new URL(url).port)), (error) => {
        ok(error instanceof QuernError && error.code === "ADDRESS_IN_USE", `expected a QuernError with the code ADDRESS_IN_USE, found ${error}`);
        return true;
      });
    },
  },
  {
    id: "listen.again",
    level: "MUST",
    title: "a port that was let go can be listened on again",
    why: "A restart on the same port would fail.",
    run: async (bench) => {
      const first = await bench.listen();
      await first.close(0);
      const again = await bench.listen(bench.kernel, Number(new URL(first.url).port));
      strictEqual((await ask(again.url, small)).status, 200);
    },
  },
];

/** Something to wait for. */
function opened(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}
