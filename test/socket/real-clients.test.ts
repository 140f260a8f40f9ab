// The libraries that people use, as they come, over both transports.

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
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { Listening } from "../../core/index.ts";
import type { TemporaryKernel } from "../support/kernel.ts";
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

const graphqlWs: Connect = (url, connectionParams) => {
  const client = createWsClient({ url: socketUrl(url), webSocketImpl: WebSocket, connectionParams });
  const run = (query: string) =>
    subscribed((results) => client.subscribe({ query }, { next: results.result, error: results.failed, complete: results.done }));
  return { subscribe: run, ask: async (query) => (await run(query).results.next()).value, close: () => client.dispose() };
};

const subscriptionsTransportWs: Connect = (url, connectionParams) => {
  const client = new SubscriptionClient(socketUrl(url), { connectionParams, lazy: true }, WebSocket);
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
  const client = createWsClient({ url: socketUrl(url), webSocketImpl: WebSocket, connectionParams });
  return apollo(new GraphQLWsLink(client), () => client.dispose(), true);
};

const apolloLegacy: Connect = (url, connectionParams) => {
  const client = new SubscriptionClient(socketUrl(url), { connectionParams, lazy: true }, WebSocket);
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
  const socket = createWsClient({ url: socketUrl(url), webSocketImpl: WebSocket, connectionParams });
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
  const client = createSseClient({ url: `${url}/graphql`, headers, retryAttempts: 0 });
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
    it("gets the first result, and a new one with each change", async () => {
      client = connect(server.url, {});
      const { results, end } = client.subscribe(names);
      expect((await results.next()).value).toMatchObject(list("Ketch"));
      await add(stack.kernel, "Yawl");
      expect((await results.next()).value).toMatchObject(list("Ketch", "Yawl"));
      end();
    });

    it("has several subscriptions side by side, and ends one", async () => {
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

    it("is told what is wrong with a document, and goes on", async () => {
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

    it("asks queries and mutations where the library can", async () => {
      client = connect(server.url, {});
      if (client.ask === undefined) return;
      expect(await client.ask('mutation { addBoat(input: [{name: "Yawl"}]) { numUids } }')).toMatchObject({ data: { addBoat: { numUids: 1 } } });
      expect(await client.ask("{ queryBoat(order: {asc: name}) { name } }")).toMatchObject(list("Ketch", "Yawl"));
    });

    it("is told about a token that cannot be read", async () => {
      client = connect(server.url, { [token]: "no.token" });
      const { results } = client.subscribe("subscription { queryLog { user } }");
      const told = await results.next().then(
        ({ value }) => value,
        (error) => error,
      );
      expect(inspect(told, { depth: 9 })).toContain("unable to parse jwt token");
    });
  });

  it("graphql-ws is told that the server goes, and comes back to another", async () => {
    const reconnecting = createWsClient({
      url: socketUrl(server.url),
      webSocketImpl: WebSocket,
      retryAttempts: 20,
      retryWait: () => new Promise((resolve) => setTimeout(resolve, 50)),
    });
    const closed: unknown[] = [];
    const over = new Promise<void>((resolve) => {
      reconnecting.on("closed", (event) => {
        closed.push((event as { code: number }).code);
        resolve();
      });
    });
    const { results } = subscribed((told) =>
      reconnecting.subscribe({ query: names }, { next: told.result, error: told.failed, complete: told.done }),
    );
    await results.next();
    const port = Number(new URL(server.url).port);
    await server.close(1_000);
    expect(await results.next()).toMatchObject({ done: true });
    await over;
    expect(closed).toEqual([1001]);
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port });
    const again = subscribed((told) => reconnecting.subscribe({ query: names }, { next: told.result, error: told.failed, complete: told.done }));
    expect((await again.results.next()).value).toMatchObject(list("Ketch"));
    await reconnecting.dispose();
  });
});
