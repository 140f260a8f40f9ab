// A kernel with DQL, and questions to it over HTTP as an administrator asks them.

import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type DqlOptions, dqlPlugin } from "../../../plugins/dql/index.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../support/kernel.ts";

export interface DqlAnswer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code: string } }[];
  readonly extensions?: { readonly txn?: { readonly start_ts: number; readonly hash?: string } };
}

export interface Written {
  readonly code: string;
  readonly queries: unknown;
  readonly uids: Readonly<Record<string, string>> | null;
}

export interface DqlStack {
  /** The data of a DQL text. */
  ask(text: string, variables?: Readonly<Record<string, string>>): Promise<unknown>;
  /** The message with which a DQL text is refused. */
  refusal(text: string, variables?: Readonly<Record<string, unknown>>): Promise<string>;
  /** The data of a mutation that is written at once. Text that begins as a JSON object is sent as JSON. */
  mutate(text: string): Promise<Written>;
  /** The message with which a mutation is refused. */
  mutationRefusal(text: string): Promise<string>;
  /** Posts a text to a path. */
  send(url: string, text?: string, headers?: Readonly<Record<string, string>>): Promise<DqlAnswer>;
  /** The data of a GraphQL request. */
  run(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  readonly stack: TemporaryKernel;
}

export async function dqlStack(schema: string, options: DqlOptions & { readonly config?: TemporaryConfig } = {}): Promise<DqlStack> {
  const { config, ...plugin } = options;
  const plugins = standardPlugins().map((each) => (each.name === "dql" ? dqlPlugin(plugin) : each));
  const stack = await compatibleKernel({ plugins, ...config });
  await stack.kernel.deploy(schema);
  const post = async (text: string, variables: Readonly<Record<string, unknown>> = {}): Promise<DqlAnswer> => {
    const response = await stack.kernel.http({
      method: "POST",
      url: "/query",
      headers: { host: "localhost", "content-type": "application/json" },
      body: Buffer.from(JSON.stringify({ query: text, variables })),
      remoteAddress: "127.0.0.1",
    });
    return JSON.parse(String(response.body));
  };
  const send = async (url: string, text = "", headers: Readonly<Record<string, string>> = {}): Promise<DqlAnswer> => {
    const isJson = /^\s*[{[]\s*["}]/.test(text) || text === "";
    const type = isJson ? "application/json" : url.startsWith("/query") ? "application/dql" : "application/rdf";
    const response = await stack.kernel.http({
      method: "POST",
      url,
      headers: { host: "localhost", "content-type": type, ...headers },
      body: Buffer.from(text),
      remoteAddress: "127.0.0.1",
    });
    return JSON.parse(String(response.body));
  };
  return {
    stack,
    send,
    async mutate(text) {
      const { data, errors } = await send("/mutate?commitNow=true", text);
      if (errors || !data) throw new Error(`${errors?.map((each) => each.message).join("; ")}\n${text}`);
      return data as unknown as Written;
    },
    async mutationRefusal(text) {
      const { data, errors = [] } = await send("/mutate?commitNow=true", text);
      if (data !== null) throw new Error(`it is written: ${JSON.stringify(data)}`);
      return errors.map((each) => each.message).join("; ");
    },
    async ask(text, variables) {
      const { data, errors } = await post(text, variables);
      if (errors) throw new Error(`${errors.map((each) => each.message).join("; ")}\n${text}`);
      return data;
    },
    async refusal(text, variables) {
      const { data, errors = [] } = await post(text, variables);
      if (data !== null) throw new Error(`it is answered: ${JSON.stringify(data)}`);
      return errors.map((each) => each.message).join("; ");
    },
    async run(query, variables = {}) {
      const { data, errors } = JSON.parse((await stack.kernel.execute({ query, variables })).body);
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
  };
}
