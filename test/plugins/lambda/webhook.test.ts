// `@webhook`: posts what changes, with old and new values, signed.

import { createHmac } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { deploy } from "./api.ts";
import { type Receiver, receiver } from "./receiver.ts";

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
    await vi.waitFor(() => expect(service.received).toHaveLength(3));
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
    await vi.waitFor(() => expect(bodies(service).map(({ operation }: Readonly<Record<string, unknown>>) => operation)).toEqual(["ADD", "UPDATE"]));
  });

  it("is posted for the chosen changes and fields alone", async () => {
    const { api, service } = await withHook((url) => `@webhook(url: "${url}", on: [UPDATE], fields: ["size"])`);
    await api.ask(`mutation { addHive(input: [{ label: "n", size: 1 }]) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: {}, set: { tags: ["y"] } }) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: {}, set: { size: 2 } }) { numUids } }`);
    await api.ask(`mutation { deleteHive(filter: {}) { numUids } }`);
    await vi.waitFor(() => expect(service.received).toHaveLength(1));
    expect(service.received[0]?.body.nodes).toEqual([{ id: expect.any(String), old: { size: 1 }, new: { size: 2 } }]);
  });

  it("is repeated with the same id and signature key after a failure, so that a receiver knows it again", async () => {
    const { api, service } = await withHook((url) => `@webhook(url: "${url}")`, { signingKey: "k1" });
    service.answer = (_, response) => {
      response.statusCode = service.received.length < 2 ? 500 : 204;
      response.end();
    };
    await api.ask(`mutation { addHive(input: [{ label: "n" }]) { numUids } }`);
    await vi.waitFor(() => expect(service.received).toHaveLength(2), { timeout: 3_000 });
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
    await vi.waitFor(() => expect(service.received.map(({ body }) => (body.nodes as unknown[]).length).sort()).toEqual([100, 50]));
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
