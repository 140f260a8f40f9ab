// Deploys a schema with rules and asks as somebody. Hides wiring, never expectations.

import { onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type AuthOptions, authPlugin } from "../../../plugins/auth/index.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../support/kernel.ts";

export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

export interface Api {
  readonly stack: TemporaryKernel;
  /** `headers` as sent, a string is the token in `X-Harbour`. */
  ask(query: string, headers?: string | Readonly<Record<string, string>>): Promise<Answer>;
}

/** For as long as the test runs that asks for it. */
export async function deploy(schema: string, options: AuthOptions = {}, config: TemporaryConfig = {}): Promise<Api> {
  const plugins = standardPlugins().map((plugin) => (plugin.name === "auth" ? authPlugin(options) : plugin));
  const stack = await compatibleKernel({ plugins, ...config });
  onTestFinished(() => stack.remove());
  await stack.kernel.deploy(schema);
  return {
    stack,
    async ask(query, headers = {}) {
      const sent = typeof headers === "string" ? { "x-harbour": headers } : headers;
      const { data, errors } = JSON.parse((await stack.kernel.execute({ query, headers: sent })).body);
      return { ...(data === undefined ? {} : { data }), ...(errors === undefined ? {} : { errors }) };
    },
  };
}
