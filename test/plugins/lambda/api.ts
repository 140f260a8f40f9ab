// A server with lambdaPlugin over a store of its own.

import { onTestFinished } from "vitest";
import { type GraphQLRequest, type Kernel, parseJson } from "../../../core/index.ts";
import { authPlugin } from "../../../plugins/auth/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { type LambdaOptions, lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { secretPlugin } from "../../../plugins/secret/index.ts";
import { compatibleKernel, type TemporaryConfig } from "../../support/kernel.ts";

export interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
}

export interface LambdaApi {
  readonly kernel: Kernel;
  ask(query: string, more?: Omit<GraphQLRequest, "query">): Promise<Answer>;
  /** The same data with other options. */
  restart(options: LambdaOptions): Promise<LambdaApi>;
}

const configOf = (options: LambdaOptions, more: TemporaryConfig): TemporaryConfig => ({
  plugins: [identityPlugin(), secretPlugin(), searchPlugin(), authPlugin(), lambdaPlugin(options)],
  ...more,
});

export async function deploy(schema: string, options: LambdaOptions, more: TemporaryConfig = {}): Promise<LambdaApi> {
  let server = await compatibleKernel(configOf(options, more));
  onTestFinished(() => server.remove());
  await server.kernel.deploy(schema);
  const api = (): LambdaApi => ({
    kernel: server.kernel,
    ask: async (query, request) => parseJson((await server.kernel.execute({ query, ...request })).body) as Answer,
    async restart(changed) {
      server = await server.restart(configOf(changed, more));
      return api();
    },
  });
  return api();
}
