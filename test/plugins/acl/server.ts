// A server under access control, asked as different users.

import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { parseJson } from "../../../core/ground/json/parse-json.ts";
import { type AclOptions, aclPlugin } from "../../../plugins/acl/index.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../support/kernel.ts";

export const secret = "a secret of the specs: 0123456789abcdef";

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared whole
  readonly data?: any;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

export interface AclServer extends TemporaryKernel {
  /** A request to `/admin` with a token. */
  admin(query: string, token?: string, from?: string): Promise<Answer>;
  /** A request to `/graphql` with a token, and with other headers. */
  graphql(query: string, token?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The access token of a user whose password is the name and `-pass-1`; that of groot is `password`. */
  token(user: string): Promise<string>;
}

interface Asking {
  readonly token?: string | undefined;
  readonly from?: string;
  readonly others?: Readonly<Record<string, string>>;
}

export async function aclServer(options: Partial<AclOptions> = {}, config: TemporaryConfig = {}): Promise<AclServer> {
  return withQuestions(await compatibleKernel({ plugins: [...standardPlugins(), aclPlugin({ secret, ...options })], admin: {}, ...config }));
}

export function withQuestions(stack: TemporaryKernel): AclServer {
  const { kernel } = stack;
  const ask = async (url: string, query: string, { token, from = "127.0.0.1", others }: Asking) => {
    const headers = {
      host: "localhost",
      "content-type": "application/json",
      ...(token !== undefined && { "x-service-accesstoken": token }),
      ...others,
    };
    const { body } = await kernel.http({ method: "POST", url, headers, body: Buffer.from(JSON.stringify({ query })), remoteAddress: from });
    return parseJson(typeof body === "string" ? body : Buffer.from(body).toString()) as Answer;
  };
  const admin: AclServer["admin"] = (query, token, from) => ask("/admin", query, { token, ...(from !== undefined && { from }) });
  return {
    ...stack,
    admin,
    graphql: (query, token, others = {}) => ask("/graphql", query, { token, others }),
    async token(user) {
      const password = user === "groot" ? "password" : `${user}-pass-1`;
      const { data } = await admin(
        `mutation { login(userId: ${JSON.stringify(user)}, password: ${JSON.stringify(password)}) { response { accessJWT } } }`,
      );
      return String(data.login.response.accessJWT);
    },
  };
}

/** Deploys a schema as groot and adds a user for each group, named as it. @returns their tokens, and that of groot */
export async function prepared(
  server: AclServer,
  schema: string,
  rules: Readonly<Record<string, Readonly<Record<string, number>>>>,
): Promise<Readonly<Record<string, string>>> {
  const groot = await server.token("groot");
  const headers = { host: "localhost", "x-service-accesstoken": groot };
  await server.kernel.http({ method: "POST", url: "/admin/schema", headers, body: Buffer.from(schema), remoteAddress: "127.0.0.1" });
  const groups = Object.entries(rules).map(([name, list]) => {
    const each = Object.entries(list).map(([predicate, permission]) => `{ predicate: ${JSON.stringify(predicate)}, permission: ${permission} }`);
    return `{ name: "${name}s", rules: [${each.join(", ")}] }`;
  });
  const users = Object.keys(rules).map((name) => `{ name: "${name}", password: "${name}-pass-1", groups: [{ name: "${name}s" }] }`);
  await server.admin(
    `mutation { addGroup(input: [${groups.join(", ")}]) { group { name } } addUser(input: [${users.join(", ")}]) { user { name } } }`,
    groot,
  );
  const tokens = Object.keys(rules).map(async (name) => [name, await server.token(name)] as const);
  return { groot, ...Object.fromEntries(await Promise.all(tokens)) };
}
