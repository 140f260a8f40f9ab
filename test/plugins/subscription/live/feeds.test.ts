// The feed of commits as other stores bring it: reported type by type, reported late (the data show it before), with gaps, or with later answers.
// Whatever the feed, everybody ends up with what a fresh query gives.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { createKernel } from "../../../../core/index.ts";
import type { ChangeRecord, Gap, Snapshot } from "../../../../core/plugin.ts";
import type { Storage } from "../../../../core/storage.ts";
import { liveOn } from "../../../support/live-clients.ts";
import { newStorage } from "../../../support/storage.ts";
import { line, token } from "../../auth/token.ts";
import { generator, logins, pick, randomMutation, randomSubscription, townSchema } from "./random-world.ts";

type Event = ChangeRecord | Gap;

/** A storage that reports its commits in another way. */
class Retold {
  readonly storage: Storage;
  #undelivered = 0;

  constructor(inner: Storage, retell: (event: Event) => Event, lateMs: number, answersLater: boolean) {
    this.storage = new Proxy(inner, {
      get: (target, name) => {
        if (name === "changes")
          return (listener: (event: Event) => void) => target.changes((event) => this.#deliver(() => listener(retell(event)), lateMs));
        if (name === "snapshot" && answersLater) return (options: Parameters<Storage["snapshot"]>[0]) => later(target.snapshot(options));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  #deliver(tell: () => void, lateMs: number): void {
    this.#undelivered++;
    const deliver = () => {
      this.#undelivered--;
      tell();
    };
    if (lateMs === 0) deliver();
    else setTimeout(deliver, lateMs);
  }

  async delivered(): Promise<void> {
    while (this.#undelivered > 0) await sleep(1);
  }
}

/** The same snapshot, whose answers come in a later turn. */
function later(snapshot: Snapshot): Snapshot {
  const inOwnTime = async <T>(value: T | PromiseLike<T>): Promise<T> => {
    await sleep(0);
    return value;
  };
  let open = 0;
  let wantsClose = false;
  const closing = () => {
    if (wantsClose && open === 0) snapshot.close();
  };
  const delayed = async <T>(read: () => T | PromiseLike<T>): Promise<T> => {
    open++;
    try {
      return await inOwnTime(await read());
    } finally {
      open--;
      closing();
    }
  };
  return {
    at: snapshot.at,
    find: (request) => delayed(() => snapshot.find(request)),
    follow: (request) => delayed(() => snapshot.follow(request)),
    load: (request) => delayed(() => snapshot.load(request)),
    aggregate: (request) => delayed(() => snapshot.aggregate(request)),
    meta: (name) => delayed(() => snapshot.meta(name)),
    close: () => {
      wantsClose = true;
      closing();
    },
  };
}

function coarsely(event: Event): Event {
  if (event.kind !== "detailed") return event;
  const { token: commit, nodes, edges } = event;
  const ends = edges.flatMap(({ edge }) => edge.split("|"));
  return { kind: "coarse", token: commit, types: [...new Set(nodes.map(({ type }) => type))], fields: [], ends };
}

const feeds: Readonly<Record<string, { readonly retell?: (event: Event) => Event; readonly lateMs?: number; readonly answersLater?: boolean }>> = {
  "reports only types": { retell: coarsely },
  "is late": { lateMs: 3 },
  "loses everything but that something was lost": { retell: ({ token: commit }) => ({ kind: "gap", token: commit }) },
  "belongs to a store that answers later": { answersLater: true },
  "is late, and the store answers later": { lateMs: 2, answersLater: true },
};

describe.each(Object.entries(feeds))("a feed that %s", (_, { retell = (event) => event, lateMs = 0, answersLater = false }) => {
  it("leaves no subscriber with a stale result", { timeout: 120_000 }, async () => {
    const random = generator(5);
    const retold = new Retold(await newStorage(), retell, lateMs, answersLater);
    const kernel = createKernel({ storage: retold.storage, plugins: standardPlugins(), log: { level: "silent" } });
    await kernel.open();
    await kernel.deploy(townSchema(line));
    const api = liveOn(kernel);
    const admin = { "x-harbour": token({ ROLE: "ADMIN" }) };
    const change = async (query: string) => void (await kernel.execute({ query, headers: admin }));
    await change(`mutation { addUser(input: [${logins.map((login) => `{login: "${login}"}`).join(", ")}]) { numUids } }`);
    for (let i = 0; i < 20; i++) await change(randomMutation(random));
    const clients = Array.from({ length: 60 }, () => {
      const query = randomSubscription(random);
      const headers = { "x-harbour": token(pick(random, [{ ROLE: "ADMIN" }, ...logins.map((ME) => ({ ME }))])) };
      return { query, headers, client: api.begin(query, { headers }) };
    });
    for (let burst = 0; burst < 12; burst++) {
      // The first bursts come while the first results are still under way.
      await Promise.all(Array.from({ length: 1 + random(4) }, () => change(randomMutation(random))));
      if (burst < 2 || random(2) === 0) continue;
      await retold.delivered();
      await api.settled();
      for (const { client, query, headers } of clients) {
        expect(client.last, query).toEqual(await api.query(query.replace("subscription", "query"), { headers }));
      }
    }
    await kernel.close();
  });
});
