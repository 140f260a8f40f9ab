// What other plugins do when DQL writes: they see its changes as those of any mutation.

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type ChangeRecord, type DirectivePlugin, kernelAccess, not } from "../../../core/plugin.ts";
import { dqlPlugin } from "../../../plugins/dql/index.ts";
import { lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { receiver } from "../lambda/receiver.ts";
import { type DqlStack, dqlStack } from "./harness.ts";

async function stackOf(schema: string, more: readonly DirectivePlugin[] = []): Promise<DqlStack> {
  const replaced = new Set(more.map(({ name }) => name));
  const dql = await dqlStack(schema, { config: { plugins: [...standardPlugins().filter(({ name }) => !replaced.has(name)), ...more] } });
  onTestFinished(() => dql.stack.remove());
  return dql;
}

const hive = (label: string, rest = "") => `{ set { _:h <Hive.label> "${label}" . _:h <dgraph.type> "Hive" . ${rest} } }`;

describe("a write in DQL", () => {
  it("wakes live queries in GraphQL and in DQL, those for nodes without a type too", { timeout: 60_000 }, async () => {
    const dql = await stackOf(`
      type Hive @withSubscription { label: String! @id  honey: Float @search }
      type Query { rich: [Hive] @withSubscription @custom(dql: "query { rich(func: has(Hive.honey), orderasc: Hive.honey) { label: Hive.label honey: Hive.honey } }") }
    `);
    const hives = dql.stack.kernel.live<{ readonly queryHive: unknown }>({ query: "subscription { queryHive { label } }" });
    const rich = dql.stack.kernel.live<{ readonly rich: unknown }>({ query: "subscription { rich { label honey } }" });
    const next = async () => [(await hives.next()).value?.data?.queryHive, (await rich.next()).value?.data?.rich];
    expect(await next()).toEqual([[], []]);
    await dql.mutate(hive("North", '_:h <Hive.honey> "2" .'));
    expect(await next()).toEqual([[{ label: "North" }], [{ label: "North", honey: 2 }]]);
    await dql.mutate('{ set { _:x <Hive.honey> "1" . _:x <Hive.label> "wild" . } }');
    expect((await rich.next()).value?.data?.rich).toEqual([
      { label: "wild", honey: 1 },
      { label: "North", honey: 2 },
    ]);
    await Promise.all([hives.return?.(), rich.return?.()]);
  });

  it("is in the change records", async () => {
    const dql = await stackOf("type Hive { label: String! @id  honey: Float }");
    const records: ChangeRecord[] = [];
    const stop = kernelAccess(dql.stack.kernel, "dql").changes((event) => void ("nodes" in event && records.push(event)));
    onTestFinished(stop);
    const { uids } = await dql.mutate(hive("North"));
    await vi.waitFor(() => expect(JSON.stringify(records)).toContain(String(Number(uids?.h))));
  });

  it("is posted to webhooks with the values before and after", { timeout: 90_000 }, async () => {
    const service = await receiver();
    const dql = await stackOf(`type Hive @webhook(url: "${service.url}") { label: String! @id  size: Int }`, [lambdaPlugin({ firstRetryMs: 40 })]);
    await dql.mutate(hive("n", '_:h <Hive.size> "1" .'));
    await dql.mutate('upsert { query { h as var(func: eq(Hive.label, "n")) } mutation { set { uid(h) <Hive.size> "2" . } } }');
    await dql.mutate('upsert { query { h as var(func: eq(Hive.label, "n")) } mutation { delete { uid(h) * * . } } }');
    await vi.waitFor(() => expect(service.received).toHaveLength(3), { timeout: 60_000 });
    const [one, two] = [
      { label: "n", size: 1 },
      { label: "n", size: 2 },
    ];
    expect(service.received.map(({ body: { operation, nodes } }) => [operation, nodes])).toEqual([
      ["ADD", [{ id: expect.any(String), old: null, new: one }]],
      ["UPDATE", [{ id: expect.any(String), old: one, new: two }]],
      ["DELETE", [{ id: expect.any(String), old: two, new: null }]],
    ]);
  });

  it.each([
    ["a value beside its range", "honey: Float @range(min: 0)", '_:h <Hive.honey> "-1" .'],
    ["a text that is too long", "motto: String @length(max: 3)", '_:h <Hive.motto> "long" .'],
    ["a value that another node has", "motto: String @unique", '_:h <Hive.motto> "taken" .'],
  ])("is refused for %s, in a transaction at its commit too", async (_what, field, line) => {
    const dql = await stackOf(`type Hive { label: String! @id  ${field} }`);
    if (field.includes("@unique")) await dql.mutate(hive("first", line));
    const count = async () => ((await dql.run("{ aggregateHive { count } }")).aggregateHive as { count: number }).count;
    const before = await count();
    expect(await dql.mutationRefusal(hive("second", line))).not.toBe("");
    const { errors, extensions } = await dql.send("/mutate", hive("third", line));
    const refused = errors ?? (await dql.send(`/commit?startTs=${extensions?.txn?.start_ts}`, "{}")).errors;
    expect(refused).toHaveLength(1);
    expect(await count()).toBe(before);
  });
});

describe("under a plugin that narrows everywhere", () => {
  const tenants: DirectivePlugin = {
    name: "tenants",
    definitions: "",
    model: () => ({
      narrowsEverywhere: true,
      narrow: (type) => not({ kind: "compare", field: `${type.stored}.owner`, op: "eq", operands: ["other"] }),
    }),
  };
  const schema = "type Hive { label: String! @id  owner: String  honey: Int }";

  it("a write reaches no node that is hidden, and makes none", async () => {
    const dql = await stackOf(schema, [tenants, dqlPlugin()]);
    const own = await dql.mutate(hive("mine", '_:h <Hive.owner> "me" .'));
    await dql.stack.kernel.execute({ query: 'mutation { addHive(input: [{ label: "theirs", owner: "other" }]) { numUids } }', as: "system" });
    const uid = `0x${(Number(own.uids?.h) + 1).toString(16)}`;
    const harvest = (label: string) => `upsert {
      query { h as var(func: eq(Hive.label, "${label}")) }
      mutation @if(gt(len(h), 0)) { set { uid(h) <Hive.honey> "9" . } }
    }`;
    for (const label of ["mine", "theirs"]) await dql.mutate(harvest(label));
    const refusal = "authorization failed";
    expect(await dql.mutationRefusal(`{ set { <${uid}> <Hive.honey> "9" . } }`)).toBe(refusal);
    expect(await dql.mutationRefusal(`{ delete { <${uid}> * * . } }`)).toBe(refusal);
    expect(await dql.mutationRefusal(`{ set { <0xfff> <Hive.honey> "9" . } }`)).toBe(refusal);
    expect(await dql.mutationRefusal(hive("new", '_:h <Hive.owner> "other" .'))).toBe(refusal);
    const { extensions } = await dql.send("/mutate", `{ set { <${uid}> <Hive.honey> "9" . } }`);
    expect((await dql.send(`/commit?startTs=${extensions?.txn?.start_ts}`, "{}")).errors?.[0]?.message).toBe(refusal);
    const answer = await dql.stack.kernel.execute({ query: "{ queryHive(order: { asc: label }) { label honey } }", as: "system" });
    expect(JSON.parse(answer.body).data.queryHive).toEqual([
      { label: "mine", honey: 9 },
      { label: "theirs", honey: null },
    ]);
  });

  it("a transaction does not show what is hidden, though it has written there", async () => {
    const dql = await stackOf(schema, [tenants, dqlPlugin()]);
    await dql.stack.kernel.execute({ query: 'mutation { addHive(input: [{ label: "theirs", owner: "other" }]) { numUids } }', as: "system" });
    const { extensions } = await dql.send("/mutate", '{ set { <0x1> <Hive.honey> "9" . _:n <Hive.label> "new" . _:n <dgraph.type> "Hive" . } }');
    const { data } = await dql.send(
      `/query?startTs=${extensions?.txn?.start_ts}`,
      "{ q(func: uid(0x1)) { dgraph.type Hive.honey } t(func: type(Hive)) { Hive.label } }",
    );
    expect(data).toEqual({ q: [], t: [{ "Hive.label": "new" }] });
  });

  it("a node without a type is refused, because no rule judges it", async () => {
    const dql = await stackOf(schema, [tenants, dqlPlugin()]);
    expect(await dql.mutationRefusal('{ set { _:x <Hive.label> "wild" . } }')).toContain("dgraph.type");
    const { uids } = await dql.mutate(hive("mine"));
    expect(await dql.mutationRefusal(`{ delete { <${uids?.h}> <dgraph.type> * . } }`)).toContain("dgraph.type");
  });
});

describe("nodes without a type", () => {
  it("are there after a restart, with values, lists and links of every kind", async () => {
    const dql = await stackOf(
      "type Hive { label: String! @id  honey: Float  frames: Int64  tags: [String]  at: Point  next: Hive  on: Boolean  since: DateTime }",
    );
    const { uids } = await dql.mutate(`{ set {
      _:x <Hive.label> "wild" . _:x <Hive.honey> "1.5" . _:x <Hive.frames> "9007199254740993" . _:x <Hive.tags> "a" . _:x <Hive.tags> "b" .
      _:x <Hive.at> "{'type':'Point','coordinates':[1.5,2.5]}" . _:x <Hive.on> "true" . _:x <Hive.since> "2020-05-06" . _:x <Hive.next> _:y .
      _:y <Hive.label> "tame" . _:y <dgraph.type> "Hive" .
    } }`);
    const read = `{ q(func: uid(${uids?.x})) { Hive.label Hive.honey Hive.frames Hive.tags Hive.at Hive.on Hive.since Hive.next { Hive.label } } }`;
    const expected = {
      q: [
        {
          "Hive.label": "wild",
          "Hive.honey": 1.5,
          "Hive.frames": 9007199254740992,
          "Hive.tags": ["a", "b"],
          "Hive.at": { type: "Point", coordinates: [1.5, 2.5] },
          "Hive.on": true,
          "Hive.since": "2020-05-06T00:00:00Z",
          "Hive.next": { "Hive.label": "tame" },
        },
      ],
    };
    expect(await dql.ask(read)).toEqual(expected);
    const again = await dql.stack.restart();
    const answer = await again.kernel.http({
      method: "POST",
      url: "/query",
      headers: { host: "localhost", "content-type": "application/dql" },
      body: Buffer.from(read),
      remoteAddress: "127.0.0.1",
    });
    await again.kernel.close();
    expect(JSON.parse(String(answer.body)).data).toEqual(expected);
  });
});
