// Public envelop plugins do what they say on every transport.

import { useDepthLimit } from "@envelop/depth-limit";
import { useOpenTelemetry } from "@envelop/opentelemetry";
import { useResponseCache } from "@envelop/response-cache";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, it } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { KernelConfig } from "../../core/index.ts";
import type { Listening } from "../../core/transport.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const transports = [wsTransport(), yogaTransport()];

const mills = "type Mill { id: ID!  name: String! @id  next: Mill }";
const directives = `
  type Inn { name: String! @id @search(by: [hash, "regexp"])  motto: String @search(by: [term])  guests: [Guest] @hasInverse(field: inn) }
  type Guest @secret(field: "pass") { no: Int! @id  inn: Inn  told: String @custom(http: { url: "http://127.0.0.1:1/t/$no", method: "GET" }) }
`;

let stack: TemporaryKernel;
let listening: Listening;
afterEach(async () => {
  await listening.close(0);
  await stack.remove();
});

describe.each(transports)("over $name", (transport) => {
  async function start(envelop: NonNullable<KernelConfig["envelop"]>, schema = mills): Promise<void> {
    stack = await temporaryKernel({ envelop });
    await stack.kernel.deploy(schema);
    listening = await transport.listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  }

  async function ask(
    query: string,
  ): Promise<{ readonly data?: unknown; readonly errors?: readonly { readonly message: string }[]; readonly extensions?: unknown }> {
    const response = await fetch(`${listening.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    return (await response.json()) as object;
  }

  it("a depth limit refuses what is deeper, and only that", async () => {
    await start([useDepthLimit({ maxDepth: 2 })]);
    expect(await ask("{ queryMill { next { name } } }")).toMatchObject({ data: { queryMill: [] } });
    const { errors } = await ask("{ queryMill { next { next { name } } } }");
    expect(errors?.[0]?.message).toContain("exceeds maximum operation depth of 2");
  });

  it("a response cache answers again without reading, until a mutation touches what it holds", async () => {
    await start([useResponseCache({ session: () => null, includeExtensionMetadata: true })]);
    await ask('mutation { addMill(input: [{ name: "Kent" }]) { numUids } }');
    const query = "{ queryMill { id name } }";
    const first = await ask(query);
    expect(first).toMatchObject({ data: { queryMill: [{ name: "Kent" }] }, extensions: { responseCache: { hit: false } } });
    expect(await ask(query)).toMatchObject({ data: first.data, extensions: { responseCache: { hit: true } } });
    await ask('mutation { updateMill(input: { filter: { name: { eq: "Kent" } }, set: { next: { name: "Leeds" } } }) { mill { id name } } }');
    expect(await ask(query)).toMatchObject({
      data: { queryMill: [{ name: "Kent" }, { name: "Leeds" }] },
      extensions: { responseCache: { hit: false } },
    });
  });

  it("a response cache starts with a schema whose directives have values of every kind", async () => {
    await start([useResponseCache({ session: () => null, includeExtensionMetadata: true })], directives);
    expect(await ask("{ queryInn { name } }")).toEqual({
      data: { queryInn: [] },
      extensions: expect.objectContaining({ responseCache: expect.anything() }),
    });
    expect(await ask("{ queryInn { name } }")).toMatchObject({ extensions: { responseCache: { hit: true } } });
  });

  it("tracing has a span for each execution", async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const plugin = useOpenTelemetry({ resolvers: false, variables: false, result: false }, provider);
    // Its types are not written for exactOptionalPropertyTypes.
    await start([plugin as never]);
    await ask("query Mills { queryMill { name } }");
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([expect.stringContaining("Mills")]);
  });
});
