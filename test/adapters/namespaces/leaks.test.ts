// What one namespace could learn of another: names, ids, documents, errors, readings, tasks, exports and tokens.

import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { prometheusMetrics } from "../../../adapters/prometheus/index.ts";
import { eventually } from "../../support/eventually.ts";
import { tenantsPlace } from "../../support/tenants-place.ts";
import { deploy, type Tenants, tenantsServer } from "./tenants.ts";

const hidden = "type Zeppelin { id: ID!  hull: String! @id  crew: Int @search }";
const plain = "type Boat { id: ID!  hull: String! @id }";
const mark = /zeppelin|graf-1|hiddenuser/i;

interface Two {
  readonly server: Tenants;
  /** With much in it. */
  readonly one: string;
  /** Who looks. */
  readonly two: string;
  readonly zero: string;
}

async function two(config = {}): Promise<Two> {
  const server = await tenantsServer(await tenantsPlace(), config);
  const one = await server.tenant(hidden);
  const other = await server.tenant(plain);
  await server.graphql('mutation { addZeppelin(input: [{ hull: "graf-1", crew: 1 }, { hull: "graf-2" }]) { numUids } }', one.token);
  await server.graphql("query OfZeppelin { queryZeppelin { hull } }", one.token);
  await server.admin('mutation { addUser(input: [{ name: "hiddenuser", password: "hidden-pass" }]) { user { name } } }', one.token);
  return { server, one: one.token, two: other.token, zero: await server.groot(0) };
}

const asTenant = (token: string) => ({ "x-dgraph-accesstoken": token });

describe("to another namespace, one", () => {
  it("shows nothing by errors, suggestions, introspection and the lists of its administrator", async () => {
    const { server, two: token } = await two();
    const answers = await Promise.all([
      server.graphql("{ queryZepplin { hull } }", token),
      server.graphql("{ queryBoat { crew } }", token),
      server.graphql("{ __schema { types { name fields { name } } } }", token),
      server.graphql('mutation { addBoat(input: [{ hull: "graf-1" }]) { numUids boat { id } } }', token),
      server.admin("{ getGQLSchema { schema generatedSchema } }", token),
      server.admin('{ queryUser { name } queryGroup { name } getUser(name: "hiddenuser") { name } }', token),
      server.admin("{ state { counter maxUID namespaces groups { tablets { predicate } } } }", token),
    ]);
    const [, , , added] = answers;
    // A key of its own, and ids that do not count what others have.
    expect(added?.data.addBoat).toEqual({ numUids: 1, boat: [{ id: "0x1" }] });
    const text = JSON.stringify([answers[2], ...answers.slice(4)]);
    expect(text).not.toMatch(mark);
    expect(answers[0]?.errors?.[0]?.message.replace("queryZepplin", "")).not.toMatch(mark);
  });

  it("shows nothing by what the server says of itself", async () => {
    const { server, two: token } = await two();
    const paths = ["/admin/live", "/admin/requests", "/admin/readings", "/admin/store", "/state", "/health"];
    const texts = await Promise.all(paths.map(async (path) => (await server.ask(path, "", asTenant(token), "GET")).text));
    for (const text of texts) expect(text).not.toMatch(mark);
    expect(texts[3]).not.toContain(tmpdir());
    const { gauges } = JSON.parse(texts[2] ?? "").data;
    expect(Object.keys(gauges)).not.toEqual(expect.arrayContaining(["namespaces"]));
    for (const shared of ["namespaces", "bodyBytes", "keptBytes", "unsentBytes"]) expect(gauges).not.toHaveProperty(shared);
  });

  it("shows nothing by a persisted document", async () => {
    const { server, one, two: token } = await two();
    const query = "query P { __typename }";
    const sha256Hash = createHash("sha256").update(query).digest("hex");
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const kept = await server.ask("/graphql", JSON.stringify({ query, extensions }), asTenant(one));
    expect(kept.errors).toBeUndefined();
    expect((await server.ask("/graphql", JSON.stringify({ extensions }), asTenant(one))).errors).toBeUndefined();
    expect((await server.ask("/graphql", JSON.stringify({ extensions }), asTenant(token))).errors?.[0]?.message).toBe("PersistedQueryNotFound");
  });

  it("shows nothing by DQL, its transactions, and /alter", async () => {
    const { server, one, two: token, zero } = await two();
    const dql = (body: string, as: string, type = "application/dql", path = "/query") =>
      server.ask(path, body, { ...asTenant(as), "content-type": type });
    const all = "{ q(func: has(dgraph.type)) { uid expand(_all_) } }";
    expect((await dql(all, one)).text).toMatch(mark);
    expect((await dql(all, token)).text).not.toMatch(mark);
    const begun = await dql('{ set { _:x <Zeppelin.hull> "graf-9" . _:x <dgraph.type> "Zeppelin" . } }', one, "application/rdf", "/mutate");
    const { start_ts } = JSON.parse(begun.text).extensions.txn;
    const commit = await dql("{}", token, "application/json", `/commit?startTs=${start_ts}`);
    expect(commit.text).not.toContain('"code":"Success"');
    const dropped = await dql('{"drop_all": true}', token, "application/json", "/alter");
    expect(dropped.text).toContain("Success");
    expect((await server.graphql("{ queryZeppelin { hull } }", one)).data.queryZeppelin).toHaveLength(2);
    expect((await server.admin("{ state { namespaces } }", zero)).data.state.namespaces).toEqual([0, 1, 2]);
  });

  it("shows nothing by tasks, exports and folders of the server", async () => {
    const { server, one, two: token, zero } = await two();
    const run = (input: string, as: string) => server.admin(`mutation { export(input: { format: "rdf"${input} }) { taskId } }`, as);
    const { taskId } = (await run("", one)).data.export;
    expect((await server.admin(`{ task(input: { id: "${taskId}" }) { status } }`, token)).errors?.[0]?.message).toContain("knows no such task");
    expect((await run(", namespace: 1", token)).errors?.[0]?.message).toContain("not allowed to export namespace 0x1");
    expect((await run(', destination: "/tmp/elsewhere"', token)).errors?.[0]?.message).toContain("only administrators of namespace 0");
    expect((await run(", namespace: 1", zero)).errors).toBeUndefined();
  });

  it("shows nothing by metrics, which name no namespace, type or user", async () => {
    const { server, two: token, zero } = await two({ metrics: prometheusMetrics({ process: false }) });
    const metrics = async (as: string) => (await server.ask("/metrics", "", asTenant(as), "GET")).text;
    const text = await metrics(zero);
    expect(text).toContain("quern_namespaces 3");
    expect(text).toMatch(/quern_operations_total\{kind="mutation",outcome="ok"\} [1-9]/);
    expect(text).not.toMatch(mark);
    expect(text).not.toMatch(/namespace="/);
    expect(await metrics(token)).toContain("not a member of guardians");
  });

  it("shows nothing by a token of a namespace that is gone", async () => {
    const { server, one, zero } = await two();
    await deploy(server, "type Train { name: String! @id }", zero);
    await server.graphql('mutation { addTrain(input: [{ name: "t" }]) { numUids } }', zero);
    await server.admin("mutation { deleteNamespace(input: { namespaceId: 1 }) { message } }", zero);
    const answers = await Promise.all([
      server.graphql("{ queryTrain { name } }", one),
      server.admin('{ getUser(name: "groot") { name groups { name } } }', one),
      server.admin("{ queryUser { name } }", one),
      server.admin("{ getGQLSchema { schema } }", one),
      server.admin("{ state { namespaces } }", one),
      server.ask("/query", "{ q(func: has(Train.name)) { Train.name } }", { ...asTenant(one), "content-type": "application/dql" }),
      server.ask("/alter", '{"drop_all": true}', asTenant(one)),
    ]);
    expect(JSON.stringify(answers)).not.toMatch(/"name":"(t|groot|guardians)"|Train \{|Success/);
    expect((await server.graphql("{ queryTrain { name } }", zero)).data).toEqual({ queryTrain: [{ name: "t" }] });
  });
});

describe("an export", () => {
  it("of all namespaces names each in the files of its own, as Dgraph does", async () => {
    const { server, zero } = await two();
    const folder = await mkdtemp(join(tmpdir(), "quern-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { data } = await server.admin(
      `mutation { export(input: { format: "rdf", namespace: -1, destination: ${JSON.stringify(folder)} }) { taskId } }`,
      zero,
    );
    await eventually(async () => {
      const { task } = (await server.admin(`{ task(input: { id: "${data.export.taskId}" }) { status } }`, zero)).data;
      expect(task.status).toBe("Success");
    });
    const inside = async (name: string) => {
      const [one = ""] = await readdir(join(folder, "namespace-1"));
      return gunzipSync(await readFile(join(folder, "namespace-1", one, name))).toString();
    };
    expect(await inside("g01.rdf.gz")).toContain('<Zeppelin.hull> "graf-1"^^<xs:string> <0x1> .');
    expect(await inside("g01.schema.gz")).toContain("[0x1] <Zeppelin.hull>:string");
    expect(await inside("g01.gql_schema.gz")).toContain('"Namespace":1');
  });
});
