// quern start: serves until it is stopped by a signal or an administrator.

import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { QuernError } from "../../../core/index.ts";
import { collectWhenIdle } from "../../idle-memory/index.ts";
import { type NamespacesConfig, type QuernConfig, type Server, serve } from "../../server/index.ts";
import { type AccessControlOptions, accessControlOf, controlsAccess, withAccessControl } from "../client/access-control.ts";
import { type CreatedToken, storeToken, type TokenOptions, withAdminToken } from "../client/admin-token.ts";
import { registerServer } from "../client/running-server.ts";
import { clientAddress } from "../ground/client-address.ts";
import { withSource } from "../ground/failure.ts";
import { showSteps } from "../ground/progress.ts";
import { readSchema } from "../ground/read-file.ts";
import { sayAccounts } from "../stack/accounts.ts";
import { chosenNamespaces, type NamespacesChoice, namespacesKernelOf } from "../stack/namespaces.ts";
import { configuredServer, type ServerOptions, stop, stopSignal, type WorkersChoice, withReadWorkers } from "../stack/server-process.ts";

export interface StartOptions extends ServerOptions, WorkersChoice, TokenOptions, AccessControlOptions, NamespacesChoice {
  /** A path. */
  readonly schema?: string;
  /** Requests from this machine need no admin token. */
  readonly adminOpen?: boolean;
  /** A path. */
  readonly trustedDocuments?: string;
  readonly trustedOnly?: boolean;
}

export async function start(options: StartOptions): Promise<void> {
  const stopRequested = stopSignal();
  const schema = options.schema === undefined ? undefined : await readSchema(options.schema);
  const steps = showSteps();
  const stack = withTrusted(await configuredServer(options), options);
  const namespaces = await chosenNamespaces(stack, options);
  const chosen = await withAccessControl(withWorkers(stack, namespaces, options), options);
  const configured = { ...chosen, ...(schema === undefined ? {} : { schema: schema.text }) };
  const { config, created } = await withAdminToken(options.adminOpen ? withOpenAdmin(configured) : configured, options);
  const own = randomBytes(32).toString("base64url");
  // Under access control a token would be needed beside a login.
  const served = controlsAccess(config) ? config : withToken(config, own);
  const hosting = namespaces && { kernelOf: await namespacesKernelOf(namespaces, accessControlOf(options)) };
  const server = await withSource(schema, () =>
    serve(served, { ...steps, ...hosting, replaceLayout: options.takeOver ?? false }).catch(sayAccounts),
  ).finally(steps.stop);
  const unregister = await ready(server, { created, own }).catch(async (error: unknown) => {
    await server.close(0);
    throw error;
  });
  setFlagsFromString(earlierCollections);
  if (config.collectWhenIdle ?? true) collectWhenIdle({ inUseBytes: () => server.kernel.unsent.bytes });
  await Promise.race([stopRequested, server.closed]);
  await stop(server).finally(unregister);
}

/**
 * V8 lets the heap grow to four times what lives before it collects. With the flag a million nodes, of which the cache holds a part, have 370 MiB resident
 * instead of 475, at the same processor time a request; where the data fit, a collection follows 100,000 reads. A start collects twice with it: not before.
 */
const earlierCollections = "--heap-growing-percent=75";

/** Read workers have one store open. */
function withWorkers(config: QuernConfig, namespaces: NamespacesConfig | undefined, options: StartOptions): QuernConfig {
  if (namespaces === undefined) return withReadWorkers(config, options);
  if ((options.workers ?? config.workers ?? 0) === 0 && config.readWorkers === undefined) return config;
  throw new QuernError(
    "CONFIG_INVALID",
    "A server with namespaces has no read workers: each of these threads reads one store. Leave out --workers, or set it to 0.",
  );
}

function withOpenAdmin(config: QuernConfig): QuernConfig {
  return { ...config, admin: { ...config.admin, open: "loopback" } };
}

function withToken(config: QuernConfig, own: string): QuernConfig {
  return { ...config, admin: { ...config.admin, token: [config.admin?.token ?? [], own].flat() } };
}

/** Prints the addresses and a new admin token, and registers the server. Returns the function that unregisters it. */
async function ready(
  server: Server,
  { created, own }: { readonly created: CreatedToken | undefined; readonly own: string },
): Promise<() => Promise<void>> {
  if (created !== undefined) await storeToken(created);
  const unregister = await registered(server, own);
  for (const url of server.urls) console.log(clientAddress(url));
  console.error(consoleLine(server, own));
  if (created !== undefined) {
    console.error(
      `The admin token is ${created.token}\nIt is printed only once, and stored in ${created.path}. Commands of this user on this machine find it automatically.`,
    );
  }
  if (server.kernel.deployment === undefined) {
    console.error(`No schema is deployed yet. Deploy one with: quern deploy schema.graphql --url ${server.urls[0]}`);
  }
  return unregister;
}

/**
 * The address of the console. It carries the token of this run in its fragment, which no server and no log sees, where a terminal shows it to the
 * person who started the server alone.
 */
function consoleLine({ urls: [url], kernel }: Server, own: string): string {
  const needsToken = !controlsAccess(kernel.config) && process.stderr.isTTY;
  return `Console: ${url}/console${needsToken ? `#token=${own}` : ""}`;
}

/** A failed registration does not stop the server: commands also accept the token from the environment or a file. */
async function registered({ urls }: Server, own: string): Promise<() => Promise<void>> {
  try {
    return await registerServer(urls, own);
  } catch (error) {
    console.error(`Commands on this machine will not find the admin token automatically: ${error instanceof Error ? error.message : String(error)}`);
    return async () => {};
  }
}

/** Options of the command line override the configuration. */
function withTrusted(config: QuernConfig, { trustedDocuments, trustedOnly }: StartOptions): QuernConfig {
  if (trustedDocuments === undefined && trustedOnly === undefined) return config;
  const known = typeof config.trustedDocuments === "string" ? { file: config.trustedDocuments } : config.trustedDocuments;
  const file = trustedDocuments ?? known?.file;
  if (file === undefined) {
    throw new QuernError(
      "CONFIG_INVALID",
      "--trusted-only needs a file of documents; add --trusted-documents <file>, or set trustedDocuments in the configuration.",
    );
  }
  return { ...config, trustedDocuments: { ...known, file, ...(trustedOnly === undefined ? {} : { only: trustedOnly }) } };
}
