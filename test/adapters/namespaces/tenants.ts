// A server with namespaces over a place of its own, asked as users of any of them.

import { onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type NamespacesOptions, namespacesKernel } from "../../../adapters/namespaces/index.ts";
import type { EndpointConfig, ServerKernel } from "../../../adapters/server/index.ts";
import { parseJson } from "../../../core/ground/json/parse-json.ts";
import type { KernelConfig } from "../../../core/index.ts";
import { aclNamespaces } from "../../../plugins/acl/index.ts";
import type { TenantsPlace } from "../../support/tenants-place.ts";

export const secret = "a secret of the specs: 0123456789abcdef";

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared whole
  readonly data?: any;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

export type TenantsConfig = Partial<KernelConfig & EndpointConfig> & Pick<NamespacesOptions, "maxOpen" | "idleMs">;

export interface Tenants {
  readonly kernel: ServerKernel;
  admin(query: string, token?: string): Promise<Answer>;
  graphql(query: string, token?: string): Promise<Answer>;
  ask(path: string, body: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Answer & { readonly text: string }>;
  /** The access token of the first user. */
  groot(namespace: number, password?: string): Promise<string>;
  /** A new namespace with a schema. */
  tenant(schema?: string): Promise<{ readonly namespace: number; readonly token: string }>;
}

export async function tenantsServer(place: TenantsPlace, config: TenantsConfig = {}): Promise<Tenants> {
  const kernel = tenantsKernel(place, config);
  await kernel.open();
  onTestFinished(() => kernel.close());
  return asking(kernel);
}

export function tenantsKernel(place: TenantsPlace, { maxOpen, idleMs, ...config }: TenantsConfig = {}): ServerKernel {
  const { zero, stores } = place.stores();
  const acl = aclNamespaces({ secret });
  return namespacesKernel(
    { storage: zero, log: { level: "silent" }, errors: "compatible", ...config },
    {
      stores,
      namespaceOf: acl.namespaceOf,
      configOf: (namespace, all) => ({ plugins: [...standardPlugins(), acl.plugin(namespace, all)] }),
      ...(maxOpen !== undefined && { maxOpen }),
      ...(idleMs !== undefined && { idleMs }),
    },
  );
}

export function asking(kernel: ServerKernel): Tenants {
  const ask: Tenants["ask"] = async (url, sent, headers = {}, method = "POST") => {
    const { status, body } = await kernel.http({
      method,
      url,
      headers: { host: "localhost", "content-type": "application/json", ...headers },
      body: Buffer.from(sent),
      remoteAddress: "127.0.0.1",
    });
    const text = typeof body === "string" ? body : Buffer.from(body).toString();
    return { ...(text.startsWith("{") ? (parseJson(text) as object) : {}), status, text };
  };
  const query = (path: string) => async (text: string, token?: string) => {
    const { text: _, ...answer } = await ask(path, JSON.stringify({ query: text }), token === undefined ? {} : { "x-dgraph-accesstoken": token });
    return answer;
  };
  const [admin, graphql] = [query("/admin"), query("/graphql")];
  const groot = async (namespace: number, password = "password") => {
    const { data, errors } = await admin(
      `mutation { login(userId: "groot", password: "${password}", namespace: ${namespace}) { response { accessJWT } } }`,
    );
    if (data?.login == null) throw new Error(JSON.stringify(errors));
    return String(data.login.response.accessJWT);
  };
  return {
    kernel,
    ask,
    admin,
    graphql,
    groot,
    async tenant(schema) {
      const { data } = await admin('mutation { addNamespace(input: { password: "tenant-pass" }) { namespaceId } }', await groot(0));
      const namespace = Number(data.addNamespace.namespaceId);
      const token = await groot(namespace, "tenant-pass");
      if (schema !== undefined) await deploy({ admin }, schema, token);
      return { namespace, token };
    },
  };
}

export async function deploy({ admin }: Pick<Tenants, "admin">, schema: string, token: string): Promise<void> {
  const set = `mutation { updateGQLSchema(input: { set: { schema: ${JSON.stringify(schema)} } }) { gqlSchema { id } } }`;
  const { errors } = await admin(set, token);
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
}
