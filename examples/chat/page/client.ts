// urql: queries and mutations by HTTP, subscriptions by WebSocket or by event stream.

import { createClient as createEventClient } from "graphql-sse";
import { createClient as createSocketClient } from "graphql-ws";
import { Client, fetchExchange, type SubscriptionForwarder, subscriptionExchange } from "urql";

export const transports = ["WebSocket", "event stream"] as const;
export type Transport = (typeof transports)[number];

export function clientBy(transport: Transport): Client {
  const forwardSubscription = transport === "WebSocket" ? bySocket() : byEvents();
  return new Client({ url: "/graphql", preferGetMethod: false, exchanges: [fetchExchange, subscriptionExchange({ forwardSubscription })] });
}

/** One connection for all subscriptions. */
function bySocket(): SubscriptionForwarder {
  const client = createSocketClient({ url: `${location.origin.replace("http", "ws")}/graphql`, shouldRetry: () => true });
  return ({ query = "", variables = {} }) => ({ subscribe: (sink) => ({ unsubscribe: client.subscribe({ query, variables }, sink) }) });
}

/** One response for each subscription. Works where a proxy blocks WebSockets. */
function byEvents(): SubscriptionForwarder {
  const client = createEventClient({ url: "/graphql" });
  return ({ query = "", variables = {} }) => ({ subscribe: (sink) => ({ unsubscribe: client.subscribe({ query, variables }, sink) }) });
}
