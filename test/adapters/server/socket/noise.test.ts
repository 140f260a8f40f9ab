// Thousands of messages that mean something, nearly mean something, or mean nothing: each is answered as documented, nothing breaks.

import { GraphQLError } from "graphql";
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from "graphql-ws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TemporaryKernel } from "../../../support/kernel.ts";
import fc from "../../../support/properties.ts";
import { boats, names } from "./boats.ts";
import { type Line, open } from "./line.ts";

let stack: TemporaryKernel;
beforeAll(async () => {
  stack = await boats({ limits: { liveKeepAliveMs: 0 } });
});
afterAll(() => stack.remove());

const types = ["connection_init", "start", "stop", "ka", "subscribe", "complete", "ping", "pong", "next", "error", "__proto__", ""];
const query = fc.constantFrom(
  names,
  "{ queryBoat { name } }",
  "subscription { nope }",
  "{",
  "",
  "subscription { queryBoat { name } queryBoat { masts } }",
  "\u0000",
);
const payload = fc.oneof(
  fc.record(
    {
      query: fc.oneof(query, fc.jsonValue()),
      variables: fc.oneof(fc.constant({}), fc.jsonValue()),
      operationName: fc.oneof(fc.constant(null), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const message = fc.oneof(
  fc
    .record(
      { type: fc.constantFrom(...types), id: fc.oneof(fc.constantFrom("1", "2", "", "é"), fc.jsonValue()), payload },
      { requiredKeys: ["type"] },
    )
    .map((each) => JSON.stringify(each)),
  fc.record({ type: fc.constantFrom(...types) }).map((each) => JSON.stringify(each)),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.jsonValue().map((each) => JSON.stringify(each)),
);

const legacyTypes = ["connection_ack", "connection_error", "data", "error", "complete", "ka"];
const modernTypes = ["connection_ack", "next", "error", "complete", "pong"];
const modernCodes = [4400, 4401, 4409, 4429];

async function talk(protocols: string, messages: readonly string[]): Promise<Line> {
  const line = await open(stack.kernel, { protocols });
  for (const each of messages) line.say(each);
  await new Promise((resolve) => setImmediate(resolve));
  return line;
}

/** How the server of the package `graphql-ws` ends a connection on which these messages come. */
async function endedByPackage(messages: readonly string[]): Promise<number | undefined> {
  let ended: number | undefined;
  let hear = async (_text: string): Promise<void> => {};
  const server = makeServer({ onSubscribe: () => [new GraphQLError("refused")], connectionInitWaitTimeout: 0 });
  const closed = server.opened(
    {
      protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL,
      send: () => undefined,
      close: (code) => {
        ended ??= code;
      },
      onMessage: (listener) => {
        hear = listener;
      },
    },
    {},
  );
  for (const each of messages) if (ended === undefined) await hear(each);
  await closed();
  return ended;
}

/**
 * Where Quern differs: an id that is no text, of whatever message; an operation before `connection_ack`, however malformed; one that names its document by
 * hash or id. The package throws at messages that servers alone send.
 */
function isApart(text: string, polite: boolean): boolean {
  const message = objectIn(text);
  const { type, id, payload } = message;
  const namesDocument = typeof payload === "object" && payload !== null && !Array.isArray(payload) && !("query" in payload && payload.query !== null);
  const hasOddId = id !== undefined && id !== null && typeof id !== "string";
  return hasOddId || ["next", "error", "connection_ack"].includes(String(type)) || (type === "subscribe" && (!polite || namesDocument));
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

describe("random messages", () => {
  it("in the older dialect get protocol answers, and the connection stays open", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 10, maxLength: 10 }), async (messages) => {
        const line = await talk("graphql-ws", messages);
        expect(line.ended).toBeUndefined();
        for (const { type } of line.unheard) expect(legacyTypes).toContain(type);
        line.say({ type: "ka" });
        expect(line.unheard.at(-1)).toEqual({ type: "ka" });
        line.leave();
      }),
      { numRuns: 200 },
    );
  });

  it("in the newer dialect get protocol answers or a close code of the protocol", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 10 }), fc.boolean(), async (messages, polite) => {
        const line = await talk("graphql-transport-ws", polite ? ['{"type":"connection_init"}', ...messages] : messages);
        for (const { type } of line.unheard) expect(modernTypes).toContain(type);
        if (line.ended !== undefined) expect(modernCodes).toContain(line.ended[0]);
        line.leave();
      }),
      { numRuns: 400 },
    );
  });

  it("in the newer dialect end a connection as the server of the package graphql-ws does", async () => {
    await fc.assert(
      fc.asyncProperty(message, fc.boolean(), async (text, polite) => {
        fc.pre(!isApart(text, polite));
        const messages = polite ? ['{"type":"connection_init"}', text] : [text];
        const line = await talk("graphql-transport-ws", messages);
        const ended = line.ended?.[0];
        line.leave();
        expect(ended).toBe(await endedByPackage(messages));
      }),
      { numRuns: 400 },
    );
  });

  it("leave no client registered", async () => {
    expect(stack.kernel.gauges.read().liveClients).toBe(0);
    const line = await open(stack.kernel);
    expect(stack.kernel.gauges.read().liveClients).toBe(1);
    line.leave();
    expect(stack.kernel.gauges.read().liveClients).toBe(0);
  });
});
