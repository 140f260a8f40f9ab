// npm's dgraph-js-http, a client of Dgraph over HTTP.

import { DgraphClient, DgraphClientStub } from "dgraph-js-http";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { aclPlugin } from "../../plugins/acl/index.ts";
import { compatibleKernel, type TemporaryConfig } from "../support/kernel.ts";

const schema = "type Sailor { id: ID!  name: String! @search(by: [exact])  votes: Int }";
const everybody = "{ q(func: type(Sailor), orderasc: Sailor.name) { Sailor.name Sailor.votes } }";
const ann = '_:a <Sailor.name> "Ann" .\n_:a <dgraph.type> "Sailor" .';

async function served(config: TemporaryConfig = {}) {
  const stack = await compatibleKernel(config);
  await stack.kernel.deploy(schema);
  const listening = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  const stub = new DgraphClientStub(listening.url);
  onTestFinished(async () => {
    stub.setAutoRefresh(false);
    await listening.close(0);
    await stack.remove();
  });
  return { client: new DgraphClient(stub), stub };
}

describe("dgraph-js-http", () => {
  it("queries with variables, writes RDF and JSON, and sees its transaction alone", async () => {
    const { client } = await served();
    const transaction = client.newTxn();
    const { data } = await transaction.mutate({ setNquads: ann });
    await transaction.mutate({ setJson: { uid: data.uids.a, "Sailor.votes": 1 } });
    const question = "query q($n: string) { q(func: eq(Sailor.name, $n)) { Sailor.votes } }";
    expect((await transaction.queryWithVars(question, { $n: "Ann" })).data).toEqual({ q: [{ "Sailor.votes": 1 }] });
    expect((await client.newTxn().query(everybody)).data).toEqual({ q: [] });
    await transaction.commit();
    expect((await client.newTxn({ readOnly: true, bestEffort: true }).query(everybody)).data).toEqual({
      q: [{ "Sailor.name": "Ann", "Sailor.votes": 1 }],
    });
  });

  it("is told of a conflict in the words of Dgraph, and discards without a trace", async () => {
    const { client } = await served();
    const { data } = await client.newTxn().mutate({ setNquads: ann, commitNow: true });
    const [first, second, third] = [client.newTxn(), client.newTxn(), client.newTxn()];
    for (const [i, each] of [first, second, third].entries()) await each.mutate({ setJson: { uid: data.uids.a, "Sailor.votes": i } });
    await third.discard();
    await second.commit();
    await expect(first.commit()).rejects.toThrow("Transaction has been aborted. Please retry");
    expect((await client.newTxn().query(everybody)).data).toEqual({ q: [{ "Sailor.name": "Ann", "Sailor.votes": 1 }] });
  });

  it("drops a field and everything, and asks for health", async () => {
    const { client } = await served();
    await client.newTxn().mutate({ setNquads: ann, commitNow: true });
    await client.alter({ dropAttr: "Sailor.name" });
    expect((await client.newTxn().query("{ q(func: type(Sailor)) { count(uid) } }")).data).toEqual({ q: [{ count: 1 }] });
    expect((await client.newTxn().query(everybody)).data).toEqual({ q: [] });
    await client.alter({ dropAll: true });
    await expect(client.newTxn().query(everybody)).rejects.toThrow();
    expect(await client.getHealth()).toMatchObject([{ status: "healthy" }]);
  });

  it("logs in under access control, and again by its refresh token", async () => {
    const { client, stub } = await served({ plugins: [...standardPlugins(), aclPlugin({ secret: "x".repeat(32) })] });
    await expect(client.newTxn().query(everybody)).rejects.toThrow();
    await client.login("groot", "password");
    await stub.login();
    expect((await client.newTxn().query(everybody)).data).toEqual({ q: [] });
  });
});
