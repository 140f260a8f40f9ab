// A gateway in one page: composes the texts of the services, and answers GraphQL requests at http://127.0.0.1:4000/.
// Production setups use Apollo Router, Hive Gateway or another server.

import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { composeServices } from "@apollo/composition";
import { ApolloGateway } from "@apollo/gateway";
import { parse } from "graphql";

const services = [
  { name: "products", url: "http://127.0.0.1:4001/graphql" },
  { name: "reviews", url: "http://127.0.0.1:4002/graphql" },
];

async function withText({ name, url }) {
  const body = JSON.stringify({ query: "{ _service { sdl } }" });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { data } = await response.json();
  return { name, url, typeDefs: parse(data._service.sdl) };
}

const composed = composeServices(await Promise.all(services.map(withText)));
if (composed.errors) throw new Error(composed.errors.map(({ message }) => message).join("\n"));

const gateway = new ApolloGateway({ supergraphSdl: composed.supergraphSdl });
const { executor } = await gateway.load();
const cache = { get: async () => undefined, set: async () => undefined, delete: async () => false };

const server = createServer(async (request, response) => {
  const { query, variables = {} } = await json(request);
  const context = { document: parse(query), request: { query, variables }, queryHash: query, metrics: {}, context: {}, cache, logger: console };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(await executor(context)));
});
server.listen(4000, "127.0.0.1", () => console.log("http://127.0.0.1:4000/"));
