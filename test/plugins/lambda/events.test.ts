// Events of mutations: each is delivered at least once, after its commit, in the order of its nodes.

import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { LogEntry } from "../../../core/index.ts";
import type { FunctionCall, LambdaEvent } from "../../../plugins/lambda/index.ts";
import { eventually } from "../../support/eventually.ts";
import { deploy, type LambdaApi } from "./api.ts";
import { receiver } from "./receiver.ts";

const schema = `
  type Hive @lambdaOnMutate(add: true, update: true, delete: true) { label: String! @id  size: Int }
  type Acc @secret(field: "pw") @lambdaOnMutate(add: true, update: true) { mail: String! @id  inner: [Acc] }
`;

type Handle = (call: FunctionCall) => unknown;

async function withHandler(handle: Handle, more: Readonly<Record<string, unknown>> = {}, entries: LogEntry[] = []): Promise<LambdaApi> {
  const names = ["Hive.add", "Hive.update", "Hive.delete", "Acc.add", "Acc.update"];
  const functions = Object.fromEntries(names.map((name) => [name, handle]));
  return await deploy(
    schema,
    { functions, firstRetryMs: 40, leaseMs: 300, ...more },
    { log: { to: { write: (entry) => void entries.push(entry) } } },
  );
}

const patient = { leaseMs: 60_000 };

const add = (label: string) => `mutation { addHive(input: [{ label: "${label}" }]) { numUids } }`;
const grow = (label: string, size: number) =>
  `mutation { updateHive(input: { filter: { label: { eq: "${label}" } }, set: { size: ${size} } }) { numUids } }`;

/** How many events wait in the store. */
async function waiting({ kernel }: LambdaApi): Promise<number> {
  const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0 });
  try {
    return (await snapshot.find({ types: ["lambda.Event"], fields: [] })).uids.length;
  } finally {
    snapshot.close();
  }
}

describe("an event", () => {
  it("says what the mutation did, and leaves the store when it is delivered", async () => {
    const events: LambdaEvent[] = [];
    const api = await withHandler(({ event }) => void events.push(event));
    await api.ask(`mutation { addHive(input: [{ label: "n" }, { label: "s", size: 2 }]) { numUids } }`);
    await api.ask(`mutation { updateHive(input: { filter: { label: { eq: "s" } }, set: { size: 3 } }) { numUids } }`);
    await api.ask(`mutation { deleteHive(filter: { label: { eq: "s" } }) { numUids } }`);
    await eventually(() => expect(events).toHaveLength(3));
    const [north, south] = events[0]?.add?.rootUIDs ?? [];
    expect(events).toEqual([
      {
        __typename: "Hive",
        operation: "add",
        commitTs: expect.any(Number),
        add: { rootUIDs: [north, south], input: [{ label: "n" }, { label: "s", size: 2 }] },
      },
      {
        __typename: "Hive",
        operation: "update",
        commitTs: expect.any(Number),
        update: { rootUIDs: [south], setPatch: { size: 3 }, removePatch: null },
      },
      { __typename: "Hive", operation: "delete", commitTs: expect.any(Number), delete: { rootUIDs: [south] } },
    ]);
    await eventually(async () => expect(await waiting(api)).toBe(0));
  });

  it("shows no password, at any depth", async () => {
    const events: LambdaEvent[] = [];
    const api = await withHandler(({ event }) => void events.push(event));
    await api.ask(`mutation { addAcc(input: [{ mail: "a", pw: "secret1", inner: [{ mail: "b", pw: "secret2" }] }]) { numUids } }`);
    await eventually(() => expect(events[0]?.add?.input).toEqual([{ mail: "a", inner: [{ mail: "b" }] }]));
  });

  it("is not raised by a mutation that fails, matches nothing, or is refused", async () => {
    const events: LambdaEvent[] = [];
    const api = await withHandler(({ event }) => void events.push(event));
    await api.ask(add("n"));
    await api.ask(add("n"));
    await api.ask(grow("nobody", 1));
    await api.ask(`mutation { deleteHive(filter: { label: { eq: "nobody" } }) { numUids } }`);
    await api.ask(`mutation { addHive(input: []) { numUids } }`);
    await eventually(async () => expect(await waiting(api)).toBe(0));
    expect(events).toHaveLength(1);
  });

  it("does not keep the client waiting", async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let handled = false;
    const api = await withHandler(async () => {
      await answered;
      handled = true;
    });
    await api.ask(add("n"));
    expect(handled).toBe(false);
    answer();
    await eventually(() => expect(handled).toBe(true));
  });

  it("has more nodes than one event takes: several events say so together", async () => {
    const events: LambdaEvent[] = [];
    const api = await withHandler(({ event }) => void events.push(event));
    const input = Array.from({ length: 1_500 }, (_, i) => ({ label: `h${i}` }));
    await api.ask("mutation($in: [AddHiveInput!]!) { addHive(input: $in) { numUids } }", { variables: { in: input } });
    await vi.waitFor(() => expect(events.map(({ add }) => add?.rootUIDs.length)).toEqual([1_000, 500]), { timeout: 60_000 });
    expect(events.flatMap(({ add }) => add?.input ?? [])).toEqual(input);
  });
});

describe("a delivery that fails", () => {
  it("is repeated with the same number until it succeeds", async () => {
    const seen: number[] = [];
    const api = await withHandler(({ event }) => {
      seen.push(event.commitTs);
      if (seen.length < 3) throw new Error("not yet");
    });
    await api.ask(add("n"));
    await vi.waitFor(() => expect(seen).toHaveLength(3), { timeout: 60_000 });
    expect(new Set(seen).size).toBe(1);
    await eventually(async () => expect(await waiting(api)).toBe(0));
  });

  it("holds back later events of the same node, and no others", async () => {
    const seen: string[] = [];
    let isDown = true;
    const api = await withHandler(({ event }) => {
      const what = event.add
        ? `add ${event.add.input.map((each) => Reflect.get(Object(each), "label")).join()}`
        : `set ${JSON.stringify(event.update?.setPatch)}`;
      if (isDown && what === "add n") throw new Error("down");
      seen.push(what);
    });
    await api.ask(add("n"));
    for (const size of [1, 2, 3]) await api.ask(grow("n", size));
    await api.ask(add("s"));
    await eventually(() => expect(seen).toEqual(["add s"]));
    isDown = false;
    await vi.waitFor(() => expect(seen).toEqual(["add s", "add n", 'set {"size":1}', 'set {"size":2}', 'set {"size":3}']), { timeout: 60_000 });
  });

  it("is given up after maxAgeMs, with a log line and a metric", async () => {
    const entries: LogEntry[] = [];
    const api = await withHandler(
      () => {
        throw new Error("never");
      },
      { maxAgeMs: 150 },
      entries,
    );
    await api.ask(add("n"));
    await vi.waitFor(async () => expect(await waiting(api)).toBe(0), { timeout: 60_000 });
    expect(entries.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^lambda, outbox: an event is given up after \d+ deliveries that failed: never$/),
    );
    expect(api.kernel.gauges.read().eventsGivenUpTotal).toBe(1);
  });

  it("is repeated after a restart", async () => {
    const api = await withHandler(() => {
      throw new Error("down");
    });
    await api.ask(add("n"));
    await eventually(async () => expect(await waiting(api)).toBe(1));
    const seen: string[] = [];
    const handle: Handle = ({ event }) => void seen.push(event.operation);
    const again = await api.restart({
      functions: { "Hive.add": handle, "Hive.update": handle, "Hive.delete": handle, "Acc.add": handle, "Acc.update": handle },
      firstRetryMs: 40,
    });
    await vi.waitFor(() => expect(seen).toEqual(["add"]), { timeout: 60_000 });
    await eventually(async () => expect(await waiting(again)).toBe(0));
  });
});

describe("many mutations of a few nodes at once", () => {
  it("each raises its event once, in the order in which they changed their node", async () => {
    const seen = new Map<string, number[]>();
    const api = await withHandler(async ({ event }) => {
      await pause(Math.random() * 5);
      const patch: unknown = event.update?.setPatch;
      const [uid = ""] = event.update?.rootUIDs ?? [];
      if (event.update) seen.set(uid, [...(seen.get(uid) ?? []), Number(Reflect.get(Object(patch), "size"))]);
      // A server that is too busy to renew its lease in time delivers again.
    }, patient);
    const labels = ["a", "b", "c"];
    for (const label of labels) await api.ask(add(label));
    await Promise.all(
      labels.map(async (label) => {
        for (let size = 1; size <= 25; size++) await api.ask(grow(label, size));
      }),
    );
    const all = Array.from({ length: 25 }, (_, i) => i + 1);
    await vi.waitFor(() => expect([...seen.values()]).toEqual([all, all, all]), { timeout: 60_000 });
  });
});

describe("a handler of events", () => {
  it("executes requests as the caller of the mutation, or as the administrator", async () => {
    const answers: unknown[] = [];
    const rules = `
      type Vault @lambdaOnMutate(add: true) @auth(query: { rule: "query($USER: String!) { queryVault(filter: { owner: { eq: $USER } }) { key } }" }) { key: String! @id  owner: String @search(by: [hash]) }
      # Dgraph.Authorization {"VerificationKey":"bee-secret","Header":"X-Bee-Auth","Namespace":"https://bees.example/claims","Algo":"HS256"}
    `;
    const handle: Handle = async ({ quern, authHeader, request }) => {
      answers.push(authHeader.key, request.headers);
      answers.push((await quern.graphql("{ queryVault { key } }")).data, (await quern.graphql("{ queryVault { key } }", {}, { as: "admin" })).data);
    };
    const api = await deploy(rules, { functions: { "Vault.add": handle } });
    await api.ask(`mutation { addVault(input: [{ key: "k", owner: "ann" }]) { numUids } }`);
    await eventually(() => expect(answers).toEqual(["X-Bee-Auth", {}, { queryVault: [] }, { queryVault: [{ key: "k" }] }]));
  });

  it("may be a lambda server, which answers with any text", async () => {
    const server = await receiver();
    const api = await deploy(schema, { url: `${server.url}/graphql-worker` });
    await api.ask(add("n"));
    await eventually(async () => expect(await waiting(api)).toBe(0));
    expect(server.received.map(({ path, body }) => [path, body])).toEqual([
      [
        "/graphql-worker",
        {
          resolver: "$webhook",
          event: {
            __typename: "Hive",
            operation: "add",
            commitTs: expect.any(Number),
            add: { rootUIDs: [expect.any(String)], input: [{ label: "n" }] },
          },
        },
      ],
    ]);
  });
});
