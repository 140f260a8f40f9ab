// The libraries that people use, as they come, over both transports.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { ApolloClient, type ApolloLink, gql, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { WebSocketLink } from "@apollo/client/link/ws";
import { fetchExchange, subscriptionExchange, Client as UrqlClient } from "@urql/core";
import { createClient as createSseClient } from "graphql-sse";
import { createClient as createWsClient } from "graphql-ws";
import { SubscriptionClient } from "subscriptions-transport-ws";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { wsTransport } from "../../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../../adapters/yoga/index.ts";
import type { Listening } from "../../../../core/transport.ts";
import { signed } from "../../../plugins/auth/token.ts";
import type { TemporaryKernel } from "../../../support/kernel.ts";
import { KilledServer } from "../../../support/killed-server.ts";
import { storageName } from "../../../support/storage.ts";
import { add, boats } from "./boats.ts";

const names = "subscription { queryBoat(order: {asc: name}) { name } }";
const token = "X-Sea-Token";
const lines = `type Log @withSubscription @auth(query: { rule: "query($USER: String!) { queryLog(filter: {user: {eq: $USER}}) { id } }" }) { id: ID!  user: String @search(by: [hash]) }
# Service.Authorization {"Header":"${token}","Namespace":"https://sea.example","VerificationKey":"the-harbour-secret-0123456789abcdef","Algo":"HS256"}`;

/** One subscription of some client: what it got, and how to end it. */
interface Subscribed {
  readonly results: AsyncIterator<unknown>;
  readonly end: () => void;
}

/** A client library with one connection, or none of its own. */
interface Client {
  subscribe(query: string): Subscribed;
  /** Undefined: the library subscribes only. */
  readonly ask?: (query: string) => Promise<unknown>;
  close(): Promise<void> | void;
}

type Connect = (url: string, parameters: Readonly<Record<string, string>>) => Client;

/** Results and failures in their order, for callbacks of any library. */
class Results implements AsyncIterator<unknown> {
  readonly #came: (() => unknown)[] = [];
  #look = () => {};

  readonly next = async (): Promise<IteratorResult<unknown>> => {
    while (this.#came.length === 0) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
    const value = this.#came.shift()?.();
    return value === Results.#end ? { done: true, value: undefined } : { done: false, value };
  };

  readonly result = (value: unknown): void => this.#take(() => value);
  readonly failed = (error: unknown): void =>
    this.#take(() => {
      throw error;
    });
  readonly done = (): void => this.#take(() => Results.#end);
  static readonly #end = Symbol("end");

  #take(what: () => unknown): void {
    this.#came.push(what);
    this.#look();
  }
}

function subscribed(begin: (results: Results) => () => void): Subscribed {
  const results = new Results();
  const end = begin(results);
  return { results, end };
}

const socketUrl = (url: string) => `${url.replace("http", "ws")}/graphql`;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 50));
/** By default this client gives up after some attempts, and at once where nothing listens: a server that restarts is such a place for a while. */
const patient = { retryAttempts: Number.POSITIVE_INFINITY, retryWait: pause, shouldRetry: () => true };

const graphqlWs: Connect = (url, connectionParams) => {
  const client = createWsClient({ url: socketUrl(url), webSocketImpl: WebSocket, connectionParams, ...patient });
  const run = (query: string) =>
    subscribed((results) => client.subscribe({ query }, { next: results.result, error: results.failed, complete: results.done }));
  return { subscribe: run, ask: async (query) => (await run(query).results.next()).value, close: () => client.dispose() };
};

const subscriptionsTransportWs: Connect = (url, connectionParams) => {
  const client = new SubscriptionClient(socketUrl(url), { connectionParams, lazy: true, reconnect: true }, WebSocket);
  return {
    subscribe: (query) =>
      subscribed((results) => {
        const { unsubscribe } = client.request({ query }).subscribe({ next: results.result, error: results.failed, complete: results.done });
        return unsubscribe;
      }),
    close: () => client.close(true),
  };
};

function apollo(link: ApolloLink, close: () => void, asks: boolean): Client {
  const client = new ApolloClient({ link, cache: new InMemoryCache(), defaultOptions: { query: { fetchPolicy: "no-cache" } } });
  const ask = async (query: string) => {
    const document = gql(query);
    return query.startsWith("mutation") ? client.mutate({ mutation: document }) : client.query({ query: document });
  };
  return {
    subscribe: (query) =>
      subscribed((results) => {
        const told = { next: results.result, error: results.failed, complete: results.done };
        const subscription = client.subscribe({ query: gql(query), fetchPolicy: "no-cache" }).subscribe(told);
        return () => subscription.unsubscribe();
      }),
    ...(asks && { ask }),
    close() {
      client.stop();
      close();
    },
  };
}

const apolloModern: Connect = (url, connectionParams) => {
  const client = createWsClient({ url: socketUrl(url), webSocketImpl: WebSocket, connectionParams, ...patient });
  return apollo(new GraphQLWsLink(client), () => client.dispose(), true);
};

const apolloLegacy: Connect = (url, connectionParams) => {
  const client = new SubscriptionClient(socketUrl(url), { connectionParams, lazy: true, reconnect: true }, WebSocket);
  return apollo(new WebSocketLink(client), () => client.close(true), false);
};

function urql(client: UrqlClient, close: () => void): Client {
  return {
    subscribe: (query) =>
      subscribed((results) => {
        const { unsubscribe } = client
          .subscription(query, {})
          .subscribe(({ data, error }) => (error ? results.failed(error) : results.result({ data })));
        return unsubscribe;
      }),
    ask: async (query) =>
      (query.startsWith("mutation") ? client.mutation(query, {}) : client.query(query, {}, { requestPolicy: "network-only" })).toPromise(),
    close,
  };
}

const urqlSockets: Connect = (url, connectionParams) => {
  const socket = createWsClient({ url: socketUrl(url), webSocketImpl: WebSocket, connectionParams, ...patient });
  const exchange = subscriptionExchange({
    enableAllOperations: true,
    forwardSubscription: ({ query = "", variables }) => ({
      subscribe: ({ next, error, complete }) => ({
        unsubscribe: socket.subscribe(
          { query, variables },
          { next: ({ data = null, errors }) => next({ data, ...(errors && { errors }) }), error, complete },
        ),
      }),
    }),
  });
  return urql(new UrqlClient({ url, exchanges: [exchange], preferGetMethod: false }), () => socket.dispose());
};

const urqlEvents: Connect = (url, headers) => {
  const client = new UrqlClient({
    url: `${url}/graphql`,
    exchanges: [fetchExchange],
    fetchSubscriptions: true,
    fetchOptions: { headers },
    preferGetMethod: false,
  });
  return urql(client, () => {});
};

const graphqlSse: Connect = (url, headers) => {
  const client = createSseClient({ url: `${url}/graphql`, headers, retryAttempts: Number.POSITIVE_INFINITY, retry: pause });
  const run = (query: string) =>
    subscribed((results) => client.subscribe({ query }, { next: results.result, error: results.failed, complete: results.done }));
  return { subscribe: run, ask: async (query) => (await run(query).results.next()).value, close: () => client.dispose() };
};

const clients: Readonly<Record<string, Connect>> = {
  "graphql-ws": graphqlWs,
  "subscriptions-transport-ws": subscriptionsTransportWs,
  "Apollo Client with GraphQLWsLink": apolloModern,
  "Apollo Client with WebSocketLink": apolloLegacy,
  "urql over graphql-ws": urqlSockets,
  "urql over event streams": urqlEvents,
  "graphql-sse": graphqlSse,
};

/** A client of an event stream made by urql asks once. */
const retrying = Object.entries(clients).filter(([name]) => name !== "urql over event streams");
/** The older dialect ends without words. */
const saysExpired = Object.entries(clients).filter(([, connect]) => connect !== subscriptionsTransportWs && connect !== apolloLegacy);

/** The next result, or failure, as text. */
async function outcome(results: AsyncIterator<unknown>): Promise<string> {
  const found = await results.next().then(
    ({ value }) => value,
    (error) => error,
  );
  return inspect(found, { depth: 9 });
}

// Apollo's link asks whether an error is the platform's, which Node has none of before 22.
beforeAll(() => void vi.stubGlobal("WebSocket", WebSocket));
afterAll(() => void vi.unstubAllGlobals());

const transports = { ws: wsTransport, yoga: yogaTransport };

describe.each(Object.entries(transports))("on %s", (_transport, transport) => {
  let stack: TemporaryKernel;
  let server: Listening;
  let client: Client | undefined;
  beforeEach(async () => {
    stack = await boats({}, lines);
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    await client?.close();
    client = undefined;
    await server.close(1_000);
    await stack.remove();
  });

  const list = (...all: string[]) => ({ data: { queryBoat: all.map((name) => ({ name })) } });

  describe.each(Object.entries(clients))("%s", (_name, connect) => {
    it("gets the first result and one for each change", async () => {
      client = connect(server.url, {});
      const { results, end } = client.subscribe(names);
      expect((await results.next()).value).toMatchObject(list("Ketch"));
      await add(stack.kernel, "Yawl");
      expect((await results.next()).value).toMatchObject(list("Ketch", "Yawl"));
      end();
    });

    it("runs several subscriptions and ends one", async () => {
      client = connect(server.url, {});
      const first = client.subscribe(names);
      const second = client.subscribe('subscription { getBoat(name: "Ketch") { name masts } }');
      expect((await first.results.next()).value).toMatchObject(list("Ketch"));
      expect((await second.results.next()).value).toMatchObject({ data: { getBoat: { name: "Ketch", masts: null } } });
      first.end();
      await stack.kernel.execute({ query: 'mutation { updateBoat(input: {filter: {name: {eq: "Ketch"}}, set: {masts: 2}}) { numUids } }' });
      expect((await second.results.next()).value).toMatchObject({ data: { getBoat: { masts: 2 } } });
      second.end();
    });

    it("gets the errors of a document and stays connected", async () => {
      client = connect(server.url, {});
      const wrong = client.subscribe("subscription { queryBoat { nope } }").results.next();
      const told = await wrong.then(
        ({ value }) => value,
        (error) => error,
      );
      expect(inspect(told, { depth: 9 })).toContain("nope");
      const { results, end } = client.subscribe(names);
      expect((await results.next()).value).toMatchObject(list("Ketch"));
      end();
    });

    it("runs queries and mutations where the library supports them", async () => {
      client = connect(server.url, {});
      if (client.ask === undefined) return;
      expect(await client.ask('mutation { addBoat(input: [{name: "Yawl"}]) { numUids } }')).toMatchObject({ data: { addBoat: { numUids: 1 } } });
      expect(await client.ask("{ queryBoat(order: {asc: name}) { name } }")).toMatchObject(list("Ketch", "Yawl"));
    });

    it("gets the error of an invalid token", async () => {
      client = connect(server.url, { [token]: "no.token" });
      const { results } = client.subscribe("subscription { queryLog { user } }");
      const told = await results.next().then(
        ({ value }) => value,
        (error) => error,
      );
      expect(inspect(told, { depth: 9 })).toContain("unable to parse jwt token");
    });
  });

  /** Stops the server, adds a boat while nobody is connected, and starts it over the same data at the same address. */
  async function restarted(...names: string[]): Promise<void> {
    const port = Number(new URL(server.url).port);
    await server.close(1_000);
    stack = await stack.restart();
    for (const name of names) await add(stack.kernel, name);
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port });
  }

  it("graphql-ws with its resume token gets only changes after a restart", async () => {
    const socket = createWsClient({ url: socketUrl(server.url), webSocketImpl: WebSocket, ...patient });
    const closed: unknown[] = [];
    socket.on("closed", (event) => void closed.push((event as { code: number }).code));
    const connected = vi.fn();
    socket.on("connected", connected);
    let resume: unknown;
    const extensions = {
      get resume() {
        return resume;
      },
    };
    const { results, end } = subscribed((found) => {
      const next = (result: { extensions?: Record<string, unknown> }) => {
        resume = result.extensions?.resume;
        found.result(result);
      };
      return socket.subscribe({ query: names, extensions }, { next, error: found.failed, complete: found.done });
    });
    expect((await results.next()).value).toMatchObject(list("Ketch"));
    await restarted();
    await vi.waitFor(() => expect(connected).toHaveBeenCalledTimes(2), { timeout: 60_000 });
    expect(closed[0]).toBe(1012);
    await add(stack.kernel, "Yawl");
    expect((await results.next()).value).toMatchObject(list("Ketch", "Yawl"));
    end();
    await socket.dispose();
  });

  describe.each(retrying)("%s", (_name, connect) => {
    it("continues after a deploy and reconnects after a restart", async () => {
      client = connect(server.url, {});
      const { results, end } = client.subscribe(names);
      expect((await results.next()).value).toMatchObject(list("Ketch"));
      await stack.kernel.deploy("type Boat @withSubscription { name: String! @id  masts: Int64  berth: String }");
      await add(stack.kernel, "Sloop");
      expect((await results.next()).value).toMatchObject(list("Ketch", "Sloop"));
      await restarted("Yawl");
      expect((await results.next()).value).toMatchObject(list("Ketch", "Sloop", "Yawl"));
      await add(stack.kernel, "Zebu");
      expect((await results.next()).value).toMatchObject(list("Ketch", "Sloop", "Yawl", "Zebu"));
      end();
    });

    it("gets the errors when a deploy does not allow its subscription", async () => {
      client = connect(server.url, {});
      const { results } = client.subscribe(names);
      expect((await results.next()).value).toMatchObject(list("Ketch"));
      await stack.kernel.deploy("type Boat @withSubscription { title: String! @id }");
      expect(await outcome(results)).toContain("Cannot query field");
    });
  });

  it.each(saysExpired)("%s gets the error of an expired token", async (_name, connect) => {
    const exp = Date.now() / 1_000 + 3;
    client = connect(server.url, { [token]: signed({ alg: "HS256", typ: "JWT" }, { exp }, "the-harbour-secret-0123456789abcdef") });
    const { results } = client.subscribe("subscription { queryLog { user } }");
    expect((await results.next()).value).toMatchObject({ data: { queryLog: [] } });
    expect(await outcome(results)).toContain("The token of this subscription has expired");
  });
});

describe.runIf(storageName === "level").each(Object.keys(transports))("on %s in a process of its own", (transport) => {
  it("clients reconnect after a kill and a restart", { timeout: 240_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "quern-killed-"));
    const server = new KilledServer(folder, transport);
    const connected: Client[] = [];
    try {
      const url = await server.start(0, "Ketch");
      for (const [, connect] of retrying) connected.push(connect(url, {}));
      const all = connected.map((each) => each.subscribe(names).results);
      for (const each of all) expect(inspect((await each.next()).value, { depth: 9 })).toContain("Ketch");
      await server.kill();
      await server.start(Number(new URL(url).port), "Yawl");
      for (const each of all) expect(inspect((await each.next()).value, { depth: 9 })).toMatch(/Ketch.*Yawl/s);
    } finally {
      for (const each of connected) await each.close();
      await server.kill();
      await rm(folder, { recursive: true });
    }
  });
});
