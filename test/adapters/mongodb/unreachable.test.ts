// A database that answers no more: the storage says so to probes and logs, and when it is over.

import { expect, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel } from "../../../core/index.ts";
import type { StoreTrouble } from "../../../core/storage.ts";
import { eventually } from "../../support/eventually.ts";
import { startReplicaSet, startsMongods } from "../../support/mongod.ts";

it.skipIf(!startsMongods)(
  `says why it does not answer, without a place, until it does again${startsMongods ? "" : ": left out, the database is not this run's own"}`,
  async () => {
    const set = await startReplicaSet();
    onTestFinished(() => set.stop());
    const heard: (StoreTrouble | undefined)[] = [];
    const storage = mongodbStorage({ uri: set.uri, connectTimeoutMs: 1_000 });
    await storage.open({ troubled: (trouble) => heard.push(trouble) });
    onTestFinished(() => storage.close());
    expect(storage.trouble).toBeUndefined();
    await set.nodes[0]?.kill();
    await eventually(() => expect(storage.trouble).toMatchObject({ kind: "unreachable" }));
    expect(storage.trouble?.reason).not.toContain("127.0.0.1");
    await set.nodes[0]?.start();
    await eventually(() => expect(storage.trouble).toBeUndefined());
    expect(heard.at(-1)).toBeUndefined();
    expect(heard.slice(0, -1).every((each) => each?.kind === "unreachable")).toBe(true);
  },
  120_000,
);

it.skipIf(!startsMongods)(
  `asks clients to send a query again, whole: nothing of it has run${startsMongods ? "" : "; left out, the database is not this run's own"}`,
  async () => {
    const set = await startReplicaSet();
    onTestFinished(() => set.stop());
    const kernel = createKernel({ storage: mongodbStorage({ uri: set.uri, connectTimeoutMs: 1_000 }), plugins: [], log: { level: "silent" } });
    await kernel.open();
    onTestFinished(() => kernel.close());
    await kernel.deploy("type Mill { name: String }");
    const ask = async (query: string) => {
      const { body, retryAfterSeconds } = await kernel.execute({ query });
      return { ...JSON.parse(body), retryAfterSeconds };
    };
    const query = "{ queryMill { name } again: queryMill { name } }";
    expect(await ask(query)).toMatchObject({ data: { queryMill: [], again: [] }, retryAfterSeconds: undefined });
    await set.nodes[0]?.kill();
    const error = { message: expect.any(String), extensions: { code: "STORE_UNAVAILABLE", retryable: true } };
    expect(await ask(query)).toEqual({ errors: [error], retryAfterSeconds: 1 });
    const { errors, retryAfterSeconds } = await ask(`mutation { addMill(input: [{ name: "Kent" }]) { numUids } }`);
    expect([errors.length, retryAfterSeconds]).toEqual([1, undefined]);
    await set.nodes[0]?.start();
    expect(
      await eventually(async () => {
        const answer = await ask(query);
        expect(answer.errors).toBeUndefined();
        return answer;
      }),
    ).toMatchObject({ data: { queryMill: [] } });
  },
  120_000,
);
