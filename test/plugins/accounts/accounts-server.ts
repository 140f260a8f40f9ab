// A server with users, over real HTTP on both transports, and clients with cookies of their own.

import { onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type QuernConfig, type Server, serve } from "../../../adapters/server/index.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../adapters/yoga/index.ts";
import { type AccountsOptions, accountsPlugin, type Mail } from "../../../plugins/accounts/index.ts";
import { newPlace, type Place } from "../../support/storage.ts";

export const secret = "a secret of thirty-two characters";

export const schema = `
  type User @account(claims: { USER: "email", ROLE: "role" }, signUp: ["name"]) @auth(
    query: { rule: "query($USER: String!) { queryUser(filter: { email: { eq: $USER } }) { email } }" }
    update: { rule: "query($USER: String!) { queryUser(filter: { email: { eq: $USER } }) { email } }" }
    add: { rule: "{$ROLE: { eq: \\"ADMIN\\" } }" }
    delete: { or: [{ rule: "{$ROLE: { eq: \\"ADMIN\\" } }" }, { rule: "query($USER: String!) { queryUser(filter: { email: { eq: $USER } }) { email } }" }] }
  ) {
    email: String! @id
    name: String
    role: String @default(add: { value: "member" })
    tasks: [Task] @hasInverse(field: owner)
  }
  type Task @withSubscription @auth(
    query: { rule: "query($USER: String!) { queryTask { owner(filter: { email: { eq: $USER } }) { email } } }" }
    add: { rule: "query($USER: String!) { queryTask { owner(filter: { email: { eq: $USER } }) { email } } }" }
  ) {
    id: ID!
    title: String!
    owner: User!
  }
`;

export interface AccountsServer {
  readonly server: Server;
  readonly place: Place;
  readonly plugin: ReturnType<typeof accountsPlugin>;
  /** What was sent, the latest last. */
  readonly mails: Mail[];
  /** By the name of a transport. */
  url(transport?: "ws" | "yoga"): string;
  client(transport?: "ws" | "yoga"): Client;
  /** As the system. */
  system(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly data: Record<string, unknown>; readonly errors?: readonly unknown[] }>;
}

export interface Setup {
  readonly accounts?: AccountsOptions;
  readonly schema?: string;
  readonly config?: Partial<QuernConfig>;
  readonly place?: Place;
}

export async function accountsServer({ accounts = {}, schema: text = schema, config = {}, place: given }: Setup = {}): Promise<AccountsServer> {
  const place = given ?? (await newPlace());
  const mails: Mail[] = [];
  const plugin = accountsPlugin({ secret, sendMail: async (mail) => void mails.push(mail), rateLimit: { enabled: false }, ...accounts });
  const server = await serve({
    storage: place.storage(),
    transports: [wsTransport(), yogaTransport()],
    plugins: [plugin, ...standardPlugins()],
    host: "127.0.0.1",
    port: 0,
    schema: text,
    log: { level: "silent" },
    admin: { open: "loopback" },
    ...config,
  });
  onTestFinished(async () => {
    await server.close(0);
    if (given === undefined) await place.remove();
  });
  const url = (transport: "ws" | "yoga" = "ws") => server.urls[transport === "ws" ? 0 : 1] ?? "";
  return {
    server,
    place,
    plugin,
    mails,
    url,
    client: (transport) => new Client(url(transport)),
    system: async (query, variables = {}) => JSON.parse((await server.kernel.execute({ query, variables, as: "system" })).body),
  };
}

/** A browser's share: it keeps cookies, and says which page asks. */
export class Client {
  readonly url: string;
  readonly cookies = new Map<string, string>();

  constructor(url: string) {
    this.url = url;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async send(path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}): Promise<Response> {
    const { headers, ...rest } = init;
    const own = { origin: this.url, ...(this.cookies.size > 0 && { cookie: this.cookie }) };
    const response = await fetch(new URL(path, this.url), { redirect: "manual", ...rest, headers: { ...own, ...headers } });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === "" || /max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  async post(
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown>; readonly headers: Headers }> {
    const response = await this.send(`/api/auth/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : (JSON.parse(text) ?? {}), headers: response.headers };
  }

  async session(): Promise<{ readonly session: Record<string, unknown>; readonly user: Record<string, unknown> } | null> {
    return JSON.parse(await (await this.send("/api/auth/get-session")).text());
  }

  async ask(
    query: string,
    headers: Record<string, string> = {},
  ): Promise<{ readonly data?: Record<string, unknown>; readonly errors?: readonly { readonly message: string }[] }> {
    const response = await this.send("/graphql", { method: "POST", body: query, headers: { "content-type": "application/graphql", ...headers } });
    return JSON.parse(await response.text());
  }
}

/** As the default is, in a time that no busy machine takes. */
export const threeSignIns: AccountsOptions["rateLimit"] = { customRules: { "/sign-in/email": { window: 3_600, max: 3 } } };

export const password = "correct horse battery staple";

/** The link of the newest mail. */
export function linkIn(mails: readonly Mail[]): URL {
  return new URL(/https?:\S+/.exec(mails.at(-1)?.text ?? "")?.[0] ?? "");
}

/** Signs up, opens the link of the mail, and is signed in. */
export async function signedUp(
  at: AccountsServer,
  email: string,
  { transport, ...more }: { readonly transport?: "ws" | "yoga"; readonly name?: string } = {},
): Promise<Client> {
  const client = at.client(transport);
  const sent = at.mails.length;
  await client.post("sign-up/email", { email, password, name: "Ada", ...more });
  await waitFor(() => at.mails.length > sent);
  const { pathname, search } = linkIn(at.mails);
  await client.send(`${pathname}${search}`);
  return client;
}

async function waitFor(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 2_000) throw new Error("It does not become true.");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
