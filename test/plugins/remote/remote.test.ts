// The toolkit with which plugins ask other services, as an author outside this package imports it.

import { AddressPolicy, HttpClient, type RemoteRequest } from "quern/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient as OwnHttpClient } from "../../../plugins/remote/index.ts";
import { type Answer, type Remote, remote } from "../custom/remote.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const bounds = { timeoutMs: 60_000, maxResponseBytes: 8, maxOperationBytes: 16, maxConcurrent: 2 };

async function asking(answer: Answer, policy = new AddressPolicy({ allow: ["127.0.0.1"], deny: [] })) {
  const service: Remote = await remote(answer);
  const client = new HttpClient(bounds, policy);
  open.push(client, service);
  const request: RemoteRequest = { method: "GET", url: `${service.url}/tide`, headers: {}, body: undefined };
  const { signal } = new AbortController();
  return { service, send: (operation: object) => client.send(request, { signal, operation }) };
}

const saying =
  (text: string): Answer =>
  (_request, response) =>
    void response.end(text);

describe("HttpClient", () => {
  it("is the same class in quern/plugin and for the plugins of this package", () => {
    expect(HttpClient).toBe(OwnHttpClient);
  });

  it("reads a reply of the permitted length, and refuses one that is a byte longer", async () => {
    const short = await asking(saying("12345678"));
    expect(await short.send({})).toEqual({ status: 200, text: "12345678" });
    const long = await asking(saying("123456789"));
    await expect(long.send({})).rejects.toThrow("the reply is longer than 8 bytes");
  });

  it("counts the replies to one operation together, and those to another operation apart", async () => {
    const { send } = await asking(saying("12345678"));
    const operation = {};
    await send(operation);
    await send(operation);
    await expect(send(operation)).rejects.toThrow("the replies to one operation are longer than 16 bytes together");
    expect(await send({})).toEqual({ status: 200, text: "12345678" });
  });

  it("asks no address that the policy denies, though a pattern of the same policy allows it", async () => {
    const { service, send } = await asking(saying("ebb"), new AddressPolicy({ allow: ["127.0.0.0/8"], deny: ["127.0.0.1"] }));
    await expect(send({})).rejects.toThrow("the address 127.0.0.1 is not permitted");
    expect(service.received).toEqual([]);
  });
});
