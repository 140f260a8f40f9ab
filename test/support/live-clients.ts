// Subscribers that write down what they are told, and how to wait until there is nothing left to tell.

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, vi } from "vitest";
import { parseJson } from "../../core/ground/json/parse-json.ts";
import type { CommitToken, Kernel, LiveEnd, LiveRequest, Subscription, SubscriptionObserver } from "../../core/index.ts";
import { compatibleKernel, type TemporaryConfig } from "./kernel.ts";
import { storageName } from "./storage.ts";

export interface Told {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string }[];
  readonly extensions: { readonly resume: string; readonly touched_uids?: number };
}

/** A client that takes everything, unless it is made slow. */
export class Client implements SubscriptionObserver {
  readonly results: Told[] = [];
  ending: LiveEnd | undefined;
  endedAt = Number.NaN;
  isReady = true;
  subscription: Subscription | undefined;

  ready(): boolean {
    return this.isReady;
  }

  next(body: string, resume?: string): void {
    expect(this.isReady, "a result while not ready").toBe(true);
    expect(this.ending, "a result after the end").toBeUndefined();
    const told = parseJson(body) as Told;
    expect(told.extensions?.resume).toBe(resume);
    this.results.push(told);
  }

  end(why: LiveEnd): void {
    expect(this.ending, "ended twice").toBeUndefined();
    this.ending = why;
    this.endedAt = Date.now();
  }

  get data(): readonly unknown[] {
    return this.results.map((each) => each.data);
  }

  get last(): unknown {
    return this.results.at(-1)?.data;
  }
}

export interface Live {
  readonly kernel: Kernel;
  /** Subscribes, and waits for the first result or refusal. */
  watch(query: string, request?: Omit<LiveRequest, "query">): Promise<Client>;
  /** Subscribes without waiting. */
  begin(query: string, request?: Omit<LiveRequest, "query">, client?: Client): Client;
  /** Runs a mutation, or several one after the other, which must go well; then waits until everybody was told. */
  change(...mutations: readonly string[]): Promise<void>;
  query(query: string, request?: Omit<LiveRequest, "query">): Promise<unknown>;
  settled(): Promise<void>;
  /** How often a query was run for subscribers so far. */
  readonly runs: number;
  /** How many of them, after a commit, found the same data. */
  readonly vainRuns: number;
  readonly queries: number;
}

export async function liveApi(schema: string, config: TemporaryConfig = {}): Promise<Live & { remove(): Promise<void> }> {
  const { kernel, remove } = await compatibleKernel(config);
  await kernel.deploy(schema);
  return Object.assign(liveOn(kernel), { remove });
}

export function liveOn(kernel: Kernel): Live {
  const begin: Live["begin"] = (query, request = {}, client = new Client()) => {
    client.subscription = kernel.subscribe({ query, ...request }, client);
    return client;
  };
  const toldOf = newestTold(kernel);
  const settled = async () => {
    await toldOf(kernel.storage.latest());
    await settledOn(kernel);
  };
  const query: Live["query"] = async (text, request = {}) => {
    const answer = parseJson((await kernel.execute({ query: text, ...request })).body) as Told;
    expect(answer.errors).toBeUndefined();
    return answer.data;
  };
  return {
    kernel,
    begin,
    query,
    settled,
    async watch(text, request) {
      const client = begin(text, request);
      await settled();
      return client;
    },
    async change(...mutations) {
      for (const each of mutations) await query(each);
      await settled();
    },
    get runs() {
      return gauge(kernel, "liveRunsTotal");
    },
    get vainRuns() {
      return gauge(kernel, "liveRunsInVainTotal");
    },
    get queries() {
      return gauge(kernel, "liveQueries");
    },
  };
}

function gauge(kernel: Kernel, name: string): number {
  return kernel.gauges.read()[name] ?? Number.NaN;
}

/**
 * Waits until a commit was told. LevelDB tells of it before it acknowledges it. MongoDB does so as a rule; who does not hear from the
 * database for a while acknowledges it none the less, as on a machine that is busy with other things.
 */
function newestTold({ storage }: Kernel): (token: CommitToken) => Promise<void> {
  if (storageName === "level") return async () => {};
  let told = storage.latest();
  storage.changes(({ token }) => {
    if (token > told) told = token;
  });
  return async (token) => await vi.waitFor(() => expect(told >= token).toBe(true), { timeout: 60_000, interval: 1 });
}

/** What is told of a commit comes in the next turns; `liveRunsDue` is 0 when everybody was told. */
export async function settledOn(kernel: Kernel): Promise<void> {
  await nextTurn();
  for (let calm = 0; calm < 3; calm++) {
    await nextTurn();
    if (gauge(kernel, "liveRunsDue") > 0) calm = 0;
  }
}
