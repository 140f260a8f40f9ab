// OpenTelemetry spans: one for each stage, with an error if the stage failed, and without secrets.

import { SpanStatusCode } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { tracingPlugin } from "../../adapters/opentelemetry/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("test");
let stack: TemporaryKernel;

beforeAll(async () => {
  stack = await temporaryKernel({ envelop: [tracingPlugin({ tracer, document: true })] });
  await stack.kernel.deploy("type Clerk { name: String! @id  desk: String }");
});
afterAll(() => stack.remove());
beforeEach(() => exporter.reset());

/** Names and states of the spans, in the order in which they ended. */
function spans(): readonly (readonly [string, boolean])[] {
  return exporter.getFinishedSpans().map(({ name, status }) => [name, status.code === SpanStatusCode.ERROR] as const);
}

it("creates a span for each stage", async () => {
  await stack.kernel.execute({ query: "query Find { queryClerk { name } }" });
  expect(spans()).toEqual([
    ["graphql.parse", false],
    ["graphql.validate", false],
    ["graphql.execute", false],
  ]);
  expect(exporter.getFinishedSpans()[2]?.attributes).toEqual({
    "graphql.operation.type": "query",
    "graphql.operation.name": "Find",
    "graphql.errors": 0,
  });
});

it.each([
  ["{ queryClerk", [["graphql.parse", true]]],
  [
    "{ queryClerk { nam } }",
    [
      ["graphql.parse", false],
      ["graphql.validate", true],
    ],
  ],
  [
    'mutation { addClerk(input: [{ name: "" }]) { numUids } }',
    [
      ["graphql.parse", false],
      ["graphql.validate", false],
      ["graphql.execute", true],
    ],
  ],
])("a span of %s ends where it failed, and says so", async (query, expected) => {
  await stack.kernel.execute({ query });
  expect(spans()).toEqual(expected);
});

it("contains no variables, literals, headers or error messages", async () => {
  const query = 'mutation ($n: String!) { addClerk(input: [{ name: $n, desk: "SECRETliteral" }]) { numUids } }';
  for (let times = 0; times < 2; times++) {
    await stack.kernel.execute({ query, variables: { n: "SECRETvariable" }, headers: { authorization: "SECRETheader" } });
  }
  const seen = exporter.getFinishedSpans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events }));
  expect(seen.at(-1)?.status).toEqual({ code: SpanStatusCode.ERROR, message: "one error" });
  expect(JSON.stringify(seen)).toContain('desk: \\"...\\"');
  expect(JSON.stringify(seen)).not.toContain("SECRET");
});
