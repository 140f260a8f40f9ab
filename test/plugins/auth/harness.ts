// Deploys a schema with rules and asks as somebody. Hides wiring, never expectations.

import { afterEach } from "vitest";
import { standardPlugins } from "../../../adapters/cli/standard-stack.ts";
import { type AuthOptions, authPlugin } from "../../../plugins/auth/index.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let open: TemporaryKernel[] = [];
afterEach(async () => {
  for (const each of open) await each.remove();
  open = [];
});

export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

export interface Api {
  readonly stack: TemporaryKernel;
  /** `headers` as sent, a string is the token in `X-Harbour`. */
  ask(query: string, headers?: string | Readonly<Record<string, string>>): Promise<Answer>;
}

export async function deploy(schema: string, options: AuthOptions = {}, config: TemporaryConfig = {}): Promise<Api> {
  const plugins = standardPlugins().map((plugin) => (plugin.name === "auth" ? authPlugin(options) : plugin));
  const stack = await temporaryKernel({ plugins, ...config });
  open.push(stack);
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
