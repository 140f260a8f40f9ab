// quern start: serves until somebody ends it.

import { randomBytes } from "node:crypto";
import { QuernError } from "../../../core/index.ts";
import { type QuernConfig, type Server, serve } from "../../server/index.ts";
import { keepToken, type MadeToken, type TokenOptions, withAdminToken } from "../admin-token.ts";
import { about } from "../failure.ts";
import { showSteps } from "../progress.ts";
import { readSchema } from "../read-file.ts";
import { announce } from "../running-server.ts";
import { configuredServer, type ServerOptions, signalled, stop } from "../server-process.ts";

export interface StartOptions extends ServerOptions, TokenOptions {
  /** A file. */
  readonly schema?: string;
  /** Requests from this machine need no admin token. */
  readonly adminOpen?: boolean;
  /** A file. */
  readonly trustedDocuments?: string;
  readonly trustedOnly?: boolean;
}

export async function start(options: StartOptions): Promise<void> {
  const told = signalled();
  const schema = options.schema === undefined ? undefined : await readSchema(options.schema);
  const steps = showSteps();
  const configured = { ...withTrusted(await configuredServer(options), options), ...(schema === undefined ? {} : { schema: schema.text }) };
  const { config, made } = await withAdminToken(options.adminOpen ? opened(configured) : configured, options);
  const own = randomBytes(32).toString("base64url");
  const server = await about(schema, () => serve(withToken(config, own), steps)).finally(steps.stop);
  const withdraw = await ready(server, { made, own }).catch(async (error: unknown) => {
    await server.close(0);
    throw error;
  });
  await Promise.race([told, server.closed]);
  await stop(server).finally(withdraw);
}

function opened(config: QuernConfig): QuernConfig {
  return { ...config, admin: { ...config.admin, open: "loopback" } };
}

function withToken(config: QuernConfig, own: string): QuernConfig {
  return { ...config, admin: { ...config.admin, token: [config.admin?.token ?? [], own].flat() } };
}

/** Says where the server answers and how it is administrated; gives what takes that back. */
async function ready(server: Server, { made, own }: { readonly made: MadeToken | undefined; readonly own: string }): Promise<() => Promise<void>> {
  if (made !== undefined) await keepToken(made);
  const withdraw = await announced(server, own);
  for (const url of server.urls) console.log(`${url}/graphql`);
  if (made !== undefined) {
    console.error(
      `The admin token is ${made.token}\nIt is shown this once, and kept in ${made.path}. Commands of this user on this machine find it by themselves.`,
    );
  }
  if (server.kernel.deployment === undefined) {
    console.error(`No schema is deployed yet. Deploy one with: quern deploy schema.graphql --url ${server.urls[0]}`);
  }
  return withdraw;
}

/** Commands can be given the token, so a server whose user has no folder to leave it in goes on. */
async function announced({ urls }: Server, own: string): Promise<() => Promise<void>> {
  try {
    return await announce(urls, own);
  } catch (error) {
    console.error(`Commands on this machine will not find the admin token by themselves: ${error instanceof Error ? error.message : String(error)}`);
    return async () => {};
  }
}

/** What the command line says goes before the configuration. */
function withTrusted(config: QuernConfig, { trustedDocuments, trustedOnly }: StartOptions): QuernConfig {
  if (trustedDocuments === undefined && trustedOnly === undefined) return config;
  const known = typeof config.trustedDocuments === "string" ? { file: config.trustedDocuments } : config.trustedDocuments;
  const file = trustedDocuments ?? known?.file;
  if (file === undefined) {
    throw new QuernError(
      "CONFIG_INVALID",
      "--trusted-only needs a file of documents; add --trusted-documents <file>, or trustedDocuments to the configuration.",
    );
  }
  return { ...config, trustedDocuments: { ...known, file, ...(trustedOnly === undefined ? {} : { only: trustedOnly }) } };
}
