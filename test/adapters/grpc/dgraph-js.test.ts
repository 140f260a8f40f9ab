// npm's dgraph-js, a client of Dgraph over gRPC.

import { status } from "@grpc/grpc-js";
import { Check, type DgraphClient, deleteEdges, ERR_ABORTED, Mutation, Operation, Request } from "dgraph-js";
import { describe, expect, it } from "vitest";
import { failure, grpcStack, rdf } from "./stack.ts";

const everybody = "{ q(func: type(Sailor), orderasc: Sailor.name) { Sailor.name Sailor.votes } }";

async function namesOf(client: DgraphClient): Promise<unknown> {
  return (
    await client.newTxn({ readOnly: true, bestEffort: true }).query("{ q(func: type(Sailor), orderasc: Sailor.name) { Sailor.name } }")
  ).getJson().q;
}

async function add(client: DgraphClient, name: string): Promise<string> {
  const written = await client.newTxn().mutate(rdf(`_:a <Sailor.name> "${name}" .\n_:a <dgraph.type> "Sailor" .`, { commitNow: true }));
  return written.getUidsMap().get("a") ?? "";
}

describe("dgraph-js", () => {
  it("queries with variables, and sees in a transaction what only that one has written", async () => {
    const { client } = await grpcStack();
    const transaction = client.newTxn();
    const written = await transaction.mutate(rdf(`_:a <Sailor.name> "Ann" .\n_:a <dgraph.type> "Sailor" .`));
    const uid = written.getUidsMap().get("a");
    const found = await transaction.queryWithVars("query q($n: string) { q(func: eq(Sailor.name, $n)) { uid Sailor.name } }", { $n: "Ann" });
    expect(found.getJson()).toEqual({ q: [{ uid, "Sailor.name": "Ann" }] });
    expect(await namesOf(client)).toEqual([]);
    await transaction.commit();
    expect(await namesOf(client)).toEqual([{ "Sailor.name": "Ann" }]);
  });

  it("sets and deletes by JSON and by RDF in one mutation", async () => {
    const { client } = await grpcStack();
    const uid = await add(client, "Ann");
    const mutation = new Mutation();
    mutation.setSetJson({ uid, "Sailor.votes": 3, "Sailor.ships": { uid: "_:uids", "Ship.tag": 's"1', "dgraph.type": "Ship" } });
    mutation.setSetNquads(`<${uid}> <Sailor.afloat> "true" .`);
    mutation.setDeleteJson({ uid, "Sailor.name": null });
    mutation.setCommitNow(true);
    const written = await client.newTxn().mutate(mutation);
    expect(written.getUidsMap().getLength()).toBe(1);
    const found = await client.newTxn().query(`{ q(func: uid(${uid})) { Sailor.name Sailor.votes Sailor.afloat Sailor.ships { Ship.tag } } }`);
    expect(found.getJson()).toEqual({ q: [{ "Sailor.votes": 3, "Sailor.afloat": true, "Sailor.ships": [{ "Ship.tag": 's"1' }] }] });
  });

  it("deletes edges by triples that are messages", async () => {
    const { client } = await grpcStack();
    const [ann, bob] = [await add(client, "Ann"), await add(client, "Bob")];
    const mutation = new Mutation();
    deleteEdges(mutation, ann, "Sailor.name");
    mutation.setCommitNow(true);
    await client.newTxn().mutate(mutation);
    const found = await client.newTxn().query(`{ q(func: uid(${ann}, ${bob})) { uid Sailor.name } }`);
    expect(found.getJson()).toEqual({ q: [{ uid: ann }, { uid: bob, "Sailor.name": "Bob" }] });
  });

  it("upserts with a condition and a variable, and gets the answer of the query", async () => {
    const { client } = await grpcStack();
    const upsert = async () => {
      const request = new Request();
      request.setQuery("query q($tag: string) { v as var(func: eq(Ship.tag, $tag)) old(func: uid(v)) { Ship.tag } }");
      request.getVarsMap().set("$tag", "s1");
      const mutation = rdf('_:new <Ship.tag> "s1" .\n_:new <dgraph.type> "Ship" .', { condition: "@if(eq(len(v), 0))" });
      request.setMutationsList([mutation]);
      request.setCommitNow(true);
      return await client.newTxn().doRequest(request);
    };
    const first = await upsert();
    expect([first.getJson(), first.getUidsMap().getLength()]).toEqual([{ old: [] }, 1]);
    const second = await upsert();
    expect([second.getJson(), second.getUidsMap().getLength()]).toEqual([{ old: [{ "Ship.tag": "s1" }] }, 0]);
  });

  it("is told to begin a transaction again that has lost to another, and not one that writes something else", async () => {
    const { client } = await grpcStack();
    const uid = await add(client, "Ann");
    const [first, second, third] = [client.newTxn(), client.newTxn(), client.newTxn()];
    await first.mutate(rdf(`<${uid}> <Sailor.votes> "1" .`));
    await second.mutate(rdf(`<${uid}> <Sailor.votes> "2" .`));
    await third.mutate(rdf(`<${uid}> <Sailor.afloat> "true" .`));
    await first.commit();
    await expect(second.commit()).rejects.toBe(ERR_ABORTED);
    await third.commit();
    expect((await client.newTxn().query(everybody)).getJson()).toEqual({ q: [{ "Sailor.name": "Ann", "Sailor.votes": 1 }] });
  });

  it("leaves nothing of a transaction that it has discarded", async () => {
    const { client } = await grpcStack();
    const transaction = client.newTxn();
    await transaction.mutate(rdf('_:a <Sailor.name> "Ann" .\n_:a <dgraph.type> "Sailor" .'));
    await transaction.discard();
    expect(await namesOf(client)).toEqual([]);
  });

  it("compares a schema, and drops a field, all data, and everything, where the server lets it", async () => {
    const { client, stack } = await grpcStack();
    await add(client, "Ann");
    const alter = async (set: (operation: Operation) => void) => {
      const operation = new Operation();
      set(operation);
      await client.alter(operation);
    };
    await alter((operation) => operation.setSchema("Sailor.name: string @index(exact) ."));
    expect(await failure(alter((operation) => operation.setSchema("Sailor.name: string @index(term) .")))).toMatchObject({ code: status.UNKNOWN });
    await alter((operation) => operation.setDropAttr("Sailor.name"));
    expect((await client.newTxn().query("{ q(func: type(Sailor)) { count(uid) Sailor.name } }")).getJson()).toEqual({ q: [{ count: 1 }] });
    await alter((operation) => operation.setDropOp(Operation.DropOp.DATA));
    expect(await namesOf(client)).toEqual([]);
    await alter((operation) => operation.setDropAll(true));
    expect(stack.kernel.deployment?.document).toBeUndefined();
  });

  it("asks for the version", async () => {
    const { stub } = await grpcStack();
    expect((await stub.checkVersion(new Check())).getTag()).toMatch(/^\d+\.\d+\.\d+/);
  });

  it("gets the texts of Dgraph for what is wrong, and UNKNOWN as their status", async () => {
    const { client } = await grpcStack();
    expect(await failure(client.newTxn().query("{ q(func: eq(Sailor.name,"))).toMatchObject({
      code: status.UNKNOWN,
      details: expect.stringContaining("line 1"),
    });
    expect(await failure(client.newTxn().mutate(rdf('<0x1> <Sailor.votes> "many" .', { commitNow: true })))).toMatchObject({ code: status.UNKNOWN });
    expect(await failure(client.newTxn().queryRDF(everybody))).toMatchObject({ code: status.UNIMPLEMENTED });
  });
});
