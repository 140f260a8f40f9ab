// Apollo Client: queries and mutations by HTTP, subscriptions by WebSocket, both with the token.

import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { OperationTypeNode } from "graphql";
import { createClient } from "graphql-ws";

export function clientFor(token: string): ApolloClient {
  const Authorization = `Bearer ${token}`;
  const http = new HttpLink({ uri: "/graphql", headers: { Authorization } });
  const socket = new GraphQLWsLink(
    createClient({
      url: `${location.origin.replace("http", "ws")}/graphql`,
      connectionParams: { Authorization },
      // A server that restarts refuses connections for a moment.
      shouldRetry: () => true,
      retryAttempts: Number.POSITIVE_INFINITY,
    }),
  );
  const link = ApolloLink.split(({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION, socket, http);
  return new ApolloClient({ link, cache: new InMemoryCache() });
}
