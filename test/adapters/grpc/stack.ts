// A kernel that listens for gRPC, and clients of npm's dgraph-js on it.

import { DgraphClient, DgraphClientStub, Mutation } from "dgraph-js";
import { onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type GrpcTransportOptions, grpcTransport } from "../../../adapters/grpc/index.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../support/kernel.ts";

export const sailors = `
  type Sailor { id: ID!  name: String! @search(by: [exact])  votes: Int  born: DateTime  afloat: Boolean  ships: [Ship] @hasInverse(field: crew) }
  type Ship { tag: String! @id  crew: [Sailor] }
`;

export interface GrpcStack {
  readonly stack: TemporaryKernel;
  /** `127.0.0.1:40000` */
  readonly address: string;
  readonly client: DgraphClient;
  readonly stub: DgraphClientStub;
  close(graceMs: number): Promise<void>;
}

export async function grpcStack(
  schema = sailors,
  { config, ...options }: GrpcTransportOptions & { readonly config?: TemporaryConfig } = {},
): Promise<GrpcStack> {
  const stack = await compatibleKernel({ plugins: standardPlugins(), ...config });
  await stack.kernel.deploy(schema);
  const listening = await grpcTransport(options).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  const address = new URL(listening.url).host;
  const stub = new DgraphClientStub(address);
  onTestFinished(async () => {
    stub.close();
    await listening.close(0);
    await stack.remove();
  });
  return { stack, address, stub, client: new DgraphClient(stub), close: listening.close };
}

/** A mutation in RDF. */
export function rdf(set: string, { deletes = "", commitNow = false, condition = "" } = {}): Mutation {
  const mutation = new Mutation();
  if (set !== "") mutation.setSetNquads(set);
  if (deletes !== "") mutation.setDelNquads(deletes);
  if (condition !== "") mutation.setCond(condition);
  mutation.setCommitNow(commitNow);
  return mutation;
}

/** The error with which something is refused. */
export async function failure(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}
