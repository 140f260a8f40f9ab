// Apollo Client: queries and mutations by HTTP, subscriptions by WebSocket. The browser adds the cookie of the session to both.

import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { OperationTypeNode } from "graphql";
import { createClient } from "graphql-ws";

export function clientFor(): ApolloClient {
  const socket = new GraphQLWsLink(
    createClient({
      url: `${location.origin.replace("http", "ws")}/graphql`,
      // A server that restarts refuses connections for a moment.
      shouldRetry: () => true,
      retryAttempts: Number.POSITIVE_INFINITY,
    }),
  );
  const link = ApolloLink.split(({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION, socket, new HttpLink({ uri: "/graphql" }));
  return new ApolloClient({ link, cache: new InMemoryCache() });
}
