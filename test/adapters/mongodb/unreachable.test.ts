// A database that answers no more: the storage says so to probes and logs, and when it is over.

import { expect, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
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
