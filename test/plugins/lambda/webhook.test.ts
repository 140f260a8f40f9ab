// `@webhook`: posts what changes, with old and new values, signed.

import { createHmac } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import type { LogEntry } from "../../../core/index.ts";
import type { LambdaOptions } from "../../../plugins/lambda/index.ts";
import { deploy } from "./api.ts";
import { type Receiver, receiver } from "./receiver.ts";

/** The first request of a process loads the HTTP library. */
const soon = <T>(check: () => T) => vi.waitFor(check, { timeout: 60_000 });

const bodies = ({ received }: Receiver) => received.map(({ body }) => ({ ...body, commit: undefined, at: undefined }));

async function withHook(directive: (url: string) => string, options: Readonly<Record<string, unknown>> = {}) {
  const service = await receiver();
  const api = await deploy(
    `type Hive ${directive(service.url)} { label: String! @id  size: Int64  tags: [String]  keeper: Keeper }
     type Keeper { name: String! @id  hives: [Hive] @hasInverse(field: keeper) }`,
    { firstRetryMs: 40, ...options },
  );
  return { api, service };
}

describe("a webhook", () => {
  it("gets the values before and after, of every change of a node", async () => {
    const { api, service } = await withHook((url) => `@webhook(url: "${url}/hook")`);
    await api.ask(`mutation { addHive(input: [{ label: "n", size: 9007199254740993, tags: ["x"] }]) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: { label: { eq: "n" } }, set: { size: 1 }, remove: { tags: ["x"] } }) { numUids } }`);
    await api.ask(`mutation { deleteHive(filter: { label: { eq: "n" } }) { numUids } }`);
    await soon(() => expect(service.received).toHaveLength(3));
    const id = expect.stringMatching(/^0x/);
    const first = { label: "n", size: 9007199254740993n, tags: ["x"] };
    expect(bodies(service)).toEqual([
      { type: "Hive", operation: "ADD", nodes: [{ id, old: null, new: first }] },
      { type: "Hive", operation: "UPDATE", nodes: [{ id, old: first, new: { label: "n", size: 1 } }] },
      { type: "Hive", operation: "DELETE", nodes: [{ id, old: { label: "n", size: 1 }, new: null }] },
    ]);
    expect(service.received[0]?.body.commit).toEqual(expect.any(String));
    expect(service.received[0]?.body.at).toEqual(expect.stringMatching(/^20\d\d-/));
  });

  it("hears of nodes below the mutation's own type, and not of updates that change nothing", async () => {
    const { api, service } = await withHook((url) => `@webhook(url: "${url}")`);
    await api.ask(`mutation { addKeeper(input: [{ name: "ines", hives: [{ label: "n", size: 1 }] }]) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: {}, set: { size: 1 } }) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: {}, set: { keeper: { name: "bo" } } }) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: {}, set: { size: 2 } }) { numUids } }`);
    await soon(() => expect(bodies(service).map(({ operation }: Readonly<Record<string, unknown>>) => operation)).toEqual(["ADD", "UPDATE"]));
  });

  it("is posted for the chosen changes and fields alone", async () => {
    const { api, service } = await withHook((url) => `@webhook(url: "${url}", on: [UPDATE], fields: ["size"])`);
    await api.ask(`mutation { addHive(input: [{ label: "n", size: 1 }]) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: {}, set: { tags: ["y"] } }) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: {}, set: { size: 2 } }) { numUids } }`);
    await api.ask(`mutation { deleteHive(filter: {}) { numUids } }`);
    await soon(() => expect(service.received).toHaveLength(1));
    expect(service.received[0]?.body.nodes).toEqual([{ id: expect.any(String), old: { size: 1 }, new: { size: 2 } }]);
  });

  it("is repeated with the same id and signature key after a failure, so that a receiver knows it again", async () => {
    const { api, service } = await withHook((url) => `@webhook(url: "${url}")`, { signingKey: "k1" });
    service.answer = (_, response) => {
      response.statusCode = service.received.length < 2 ? 500 : 204;
      response.end();
    };
    await api.ask(`mutation { addHive(input: [{ label: "n" }]) { numUids } }`);
    await soon(() => expect(service.received).toHaveLength(2));
    const [first, second] = service.received;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.headers["idempotency-key"]).toBe(first?.headers["webhook-id"]);
    expect(second?.text).toBe(first?.text);
    const { "webhook-id": id, "webhook-timestamp": at } = second?.headers ?? {};
    const signature = createHmac("sha256", "k1").update(`${id}.${at}.${second?.text}`).digest("base64");
    expect(second?.headers["webhook-signature"]).toBe(`v1,${signature}`);
  });

  it("sends a group of nodes together, at most a hundred in one request", async () => {
    const { api, service } = await withHook((url) => `@webhook(url: "${url}")`);
    const input = Array.from({ length: 150 }, (_, i) => ({ label: `h${i}` }));
    await api.ask("mutation($in: [AddHiveInput!]!) { addHive(input: $in) { numUids } }", { variables: { in: input } });
    await soon(() => expect(service.received.map(({ body }) => (body.nodes as unknown[]).length).sort()).toEqual([100, 50]));
  });

  it("is refused for a wrong url, an unknown field, and a secret that the schema does not have", async () => {
    const hook = (args: string) => deploy(`type Hive @webhook(${args}) { label: String! @id }`, {});
    await expect(hook(`url: "hook"`)).rejects.toThrow("Type Hive; @webhook needs an absolute url that begins with http:// or https://.");
    await expect(hook(`url: "http://a.example", fields: ["labl"]`)).rejects.toThrow("names the field labl, which is no field with values of Hive");
    await expect(hook(`url: "http://a.example", signedBy: "KEY"`)).rejects.toThrow(
      "Type Hive; @webhook uses the secret KEY, which the schema does not have.",
    );
    await expect(hook(`url: "http://a.example", on: [RENAME]`)).rejects.toThrow("RENAME");
  });
});

describe("the address of a webhook", () => {
  const schema = (url: string) => `type Hive @webhook(url: "${url}") { label: String! @id }`;
  const add = `mutation { addHive(input: [{ label: "n" }]) { numUids } }`;

  /** Why the first delivery failed. */
  async function refusals(url: string, options: LambdaOptions = {}) {
    const entries: LogEntry[] = [];
    const api = await deploy(schema(url), options, { log: { to: { write: (entry) => void entries.push(entry) } } });
    await api.ask(add);
    return await soon(() => {
      const reason = entries.find(({ facts }) => facts.reason !== undefined)?.facts.reason;
      expect(reason).toBeDefined();
      return reason;
    });
  }

  it("is never that of a machine's metadata, whatever is allowed", async () => {
    const allow = ["0.0.0.0/0", "::/0"];
    expect(await refusals("http://169.254.169.254/latest", { allow })).toBe("the address 169.254.169.254 is not permitted");
    expect(await refusals("http://[::ffff:169.254.169.254]/latest", { allow })).toMatch(/the address .* is not permitted/);
  });

  it("is judged after the name is looked up", async () => {
    const service = await receiver();
    const named = service.url.replace("127.0.0.1", "localhost");
    expect(await refusals(named, { privateAddresses: false })).toBe("the address of localhost is not permitted");
    expect(await refusals(named, { deny: ["127.0.0.0/8", "::1"] })).toBe("the address of localhost is not permitted");
    expect(service.received).toEqual([]);
  });

  it("may be a private one that the operator allows", async () => {
    const service = await receiver();
    const api = await deploy(schema(service.url), { privateAddresses: false, allow: ["127.0.0.1"] });
    await api.ask(add);
    await soon(() => expect(service.received).toHaveLength(1));
  });

  it("is the one of the schema: a redirect is a failed delivery", async () => {
    const [service, other] = [await receiver(), await receiver()];
    service.answer = (_, response) => void response.writeHead(302, { location: other.url }).end();
    expect(await refusals(service.url)).toBe("the webhook answers with status 302");
    expect(other.received).toEqual([]);
  });
});

describe("the address of a lambda server", () => {
  const schema = "type Hive { label: String! @id }\n type Query { oldest: String @lambda }";

  it("may be private, since the operator chose it", async () => {
    const service = await receiver();
    service.answer = (_, response) => response.end('"n"');
    const api = await deploy(schema, { url: service.url, privateAddresses: false });
    expect(await api.ask("{ oldest }")).toMatchObject({ data: { oldest: "n" } });
  });

  it("does not extend to where it redirects", async () => {
    const [service, inner] = [await receiver(), await receiver()];
    service.answer = (_, response) => void response.writeHead(307, { location: inner.url }).end();
    const api = await deploy(schema, { url: service.url.replace("127.0.0.1", "localhost"), privateAddresses: false });
    const { errors } = await api.ask("{ oldest }");
    expect(errors?.[0]?.message).toContain("the address 127.0.0.1 is not permitted");
    expect(inner.received).toEqual([]);
  });

  it("is never that of a machine's metadata", async () => {
    const api = await deploy(schema, { url: "http://169.254.169.254/graphql-worker" });
    const { errors } = await api.ask("{ oldest }");
    expect(errors?.[0]?.message).toContain("the address 169.254.169.254 is not permitted");
  });
});
