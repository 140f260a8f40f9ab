// Thousands of messages that mean something, nearly mean something, or mean nothing: each is answered as documented, nothing breaks.

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

  it("leave no client registered", async () => {
    expect(stack.kernel.gauges.read().liveClients).toBe(0);
    const line = await open(stack.kernel);
    expect(stack.kernel.gauges.read().liveClients).toBe(1);
    line.leave();
    expect(stack.kernel.gauges.read().liveClients).toBe(0);
  });
});
