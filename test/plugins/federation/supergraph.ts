// Subgraphs of Quern and of @apollo/subgraph behind Apollo's gateway, in one process.

import { composeServices } from "@apollo/composition";
import { ApolloGateway } from "@apollo/gateway";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { type DocumentNode, type ExecutionResult, execute, type GraphQLResolveInfo, parse } from "graphql";
import type { Kernel } from "../../../core/index.ts";

/** A service of the supergraph. */
export interface Service {
  readonly name: string;
  /** The text of its `_service { sdl }`. */
  readonly sdl: string;
  answer(request: ServiceRequest): Promise<ExecutionResult>;
}

export interface ServiceRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a service was asked, in order. */
export type Log = { readonly service: string; readonly query: string; readonly variables: unknown }[];

export async function quernService(name: string, kernel: Kernel): Promise<Service> {
  const answer = async ({ query, variables = {}, headers = {} }: ServiceRequest): Promise<ExecutionResult> => {
    const { body } = await kernel.execute({ query, variables, headers });
    return JSON.parse(String(body));
  };
  const { data, errors } = await answer({ query: "{ _service { sdl } }" });
  if (errors) throw new Error(errors.map(({ message }) => message).join("; "));
  return { name, sdl: String(sdlOf(data)), answer };
}

function sdlOf(data: unknown): unknown {
  const service: unknown = Reflect.get(Object(data), "_service");
  return Reflect.get(Object(service), "sdl");
}

type Resolvers = Parameters<typeof buildSubgraphSchema>[0] extends infer T ? (T extends { resolvers?: infer R } ? R : never) : never;

export type { GraphQLResolveInfo };

export function apolloService(name: string, sdl: string, resolvers: Resolvers): Service {
  const schema = buildSubgraphSchema({ typeDefs: parse(sdl), ...(resolvers && { resolvers }) });
  const answer = async ({ query, variables = {} }: ServiceRequest) => execute({ schema, document: parse(query), variableValues: variables });
  return { name, sdl, answer };
}

/** @throws Error with the reasons of the composition */
export function compose(services: readonly Service[]): string {
  const result = composeServices(services.map(({ name, sdl }) => ({ name, typeDefs: parse(sdl), url: `http://${name}` })));
  if (result.errors) throw new Error(result.errors.map(({ message }) => message).join("\n"));
  return result.supergraphSdl;
}

export interface Supergraph {
  /** A request of a client to the gateway. */
  ask(query: string, variables?: Readonly<Record<string, unknown>>): Promise<ExecutionResult>;
  readonly log: Log;
  stop(): Promise<void>;
}

export async function startSupergraph(services: readonly Service[], headers: Readonly<Record<string, string>> = {}): Promise<Supergraph> {
  const log: Log = [];
  const gateway = new ApolloGateway({
    supergraphSdl: compose(services),
    logger: silent,
    buildService: ({ name }) => ({
      process: async ({ request }) => {
        const service = services.find((each) => each.name === name);
        const query = request.query ?? "";
        log.push({ service: name, query, variables: request.variables });
        // The gateway adds to the answer.
        return { ...(await service?.answer({ query, variables: request.variables, headers })) } as object;
      },
    }),
  });
  const { executor } = await gateway.load();
  return {
    log,
    async ask(query, variables = {}) {
      const document: DocumentNode = parse(query);
      const context = {
        document,
        request: { query, variables },
        operationName: null,
        queryHash: query,
        metrics: {},
        context: {},
        cache: noCache,
        logger: silent,
      };
      return JSON.parse(JSON.stringify(await executor(context as unknown as Parameters<typeof executor>[0])));
    },
    stop: () => gateway.stop(),
  };
}

const ignore = () => undefined;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const noCache = { get: async () => undefined, set: async () => undefined, delete: async () => false };
