// Selects the stack of a command: the configuration file, or the standard stack. Storages, plugins and the server are imported when they
// are used: a command that asks a running server needs none of them.

import {
  type ErrorStyle,
  errorStyles,
  isErrorStyle,
  type Kernel,
  type OpenOptions,
  type PreparedDeployment,
  prepareDeployment,
  QuernError,
} from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import type { QuernConfig, ServerKernel } from "../../server/index.ts";
import { assertStoreFolder } from "../ground/read-file.ts";
import { sayAccounts, withAccounts } from "./accounts.ts";
import { withAudit } from "./audit.ts";
import { loadConfig } from "./load-config.ts";

export interface StackChoice {
  /** Path of the configuration file. Default: `quern.config.*` in the working folder, if it exists. */
  readonly config?: string;
  /** Folder of a LevelDB store that replaces the configured storage. */
  readonly data?: string;
  /** The address of a lambda server. */
  readonly lambdaUrl?: string;
  /** Where files are kept. */
  readonly filesAt?: string;
  /** Users sign in. */
  readonly accounts?: boolean;
  /** What administrators do is kept. */
  readonly audit?: boolean;
  /** How errors are worded. Default: `QUERN_ERRORS`, otherwise what the configuration says. */
  readonly errors?: ErrorStyle;
}

export async function chosenStack(choice: StackChoice): Promise<QuernConfig> {
  const stack = await chosenParts(choice);
  return { ...stack, plugins: await withAudit(await withAccounts(stack.plugins ?? [], stack.storage)), errors: errorStyle(choice.errors, stack) };
}

async function chosenParts({ config, data, lambdaUrl, filesAt, accounts, audit }: StackChoice): Promise<QuernConfig> {
  // The plugin of a configuration reads the address from the environment, too. An address in the configuration wins.
  if (lambdaUrl !== undefined) process.env.QUERN_LAMBDA_URL = lambdaUrl;
  if (filesAt !== undefined) process.env.QUERN_FILES_AT = filesAt;
  useAccounts(accounts);
  if (audit) process.env.QUERN_AUDIT = "true";
  const loaded = await loadConfig(config, process.cwd());
  if (loaded === undefined) return (await import("./standard-stack.ts")).standardStack(data === undefined ? {} : { data });
  if (data === undefined) return loaded;
  const { leveldbStorage } = await import("../../level/index.ts");
  return { ...loaded, storage: leveldbStorage({ path: data }) };
}

/** Threads and programs that this one starts have the same plugins. */
function useAccounts(accounts: StackChoice["accounts"]): void {
  if (accounts) process.env.QUERN_ACCOUNTS = "true";
}

/**
 * The stack of an existing store. The store must be named explicitly: these commands read or repair it.
 *
 * @param usage the message of the error if no store is named
 */
export async function namedStack(choice: StackChoice, usage = storeUsage): Promise<QuernConfig> {
  const { data, config } = choice;
  if (data === undefined && config === undefined) throw new QuernError("CONFIG_INVALID", usage);
  if (data !== undefined) await assertStoreFolder(data);
  return await chosenStack(choice);
}

const storeUsage = "Name the store: --data <dir> for a LevelDB store, or --config <file> for a configured storage.";

/** How errors are worded: what the command line or `QUERN_ERRORS` says, otherwise the configuration. Errors: `CONFIG_INVALID` for another text. */
export function errorStyle(asked: string | undefined = process.env.QUERN_ERRORS, { errors = "plain" }: Pick<QuernConfig, "errors"> = {}): ErrorStyle {
  if (asked === undefined || asked === "") return errors;
  if (isErrorStyle(asked)) return asked;
  throw new QuernError("CONFIG_INVALID", `The environment variable QUERN_ERRORS has a wrong value: it must be ${errorStyles.join(" or ")}.`);
}

/** How commands read a schema that open no store. */
export interface Reading {
  /** They call no lambda handler, so a schema that needs one is no error. */
  readonly plugins: readonly DirectivePlugin[];
  readonly errors: ErrorStyle;
}

export async function chosenReading(choice: StackChoice): Promise<Reading> {
  useAccounts(choice.accounts);
  const loaded = await loadConfig(choice.config, process.cwd());
  return { plugins: await readingPlugins(loaded), errors: errorStyle(choice.errors, loaded) };
}

/** The deployment of a schema with the plugins of the stack. Errors: those of `prepareDeployment`. */
export async function preparedSchema(text: string, choice: StackChoice): Promise<PreparedDeployment> {
  const { plugins, errors } = await chosenReading(choice);
  return prepareDeployment(text, plugins, undefined, errors);
}

/** The directive plugins of the stack, for commands that open no store. */
export async function chosenPlugins({ config }: StackChoice): Promise<readonly DirectivePlugin[]> {
  return await readingPlugins(await loadConfig(config, process.cwd()));
}

async function readingPlugins(loaded: QuernConfig | undefined): Promise<readonly DirectivePlugin[]> {
  const configured = loaded === undefined ? (await import("./standard-plugins.ts")).standardPlugins() : (loaded.plugins ?? []);
  const plugins = await withAccounts(configured, loaded?.storage);
  if (!plugins.some(isLambda)) return plugins;
  const { lambdaPlugin } = await import("../../../plugins/lambda/index.ts");
  return plugins.map((plugin) => (isLambda(plugin) ? lambdaPlugin({ url: "http://127.0.0.1/" }) : plugin));
}

function isLambda({ name }: DirectivePlugin): boolean {
  return name === "lambda";
}

/**
 * The kernel of a stack without its listening servers. It reads the trusted documents, so that a comparison checks them. A process that
 * opens the store may do everything: plugins that ask for users are left out.
 */
export async function kernelOf(stack: QuernConfig): Promise<ServerKernel> {
  const {
    transports: _transports,
    schema: _schema,
    host: _host,
    port: _port,
    workers: _workers,
    readWorkers: _readWorkers,
    namespaces: _namespaces,
    plugins = [],
    ...config
  } = stack;
  const { createServerKernel } = await import("../../server/index.ts");
  return createServerKernel({ ...config, plugins: plugins.filter(({ access }) => access === undefined) });
}

/** Opens a kernel on the stack, runs `work`, and closes the kernel. No other process may have the store open. */
export async function withKernel<T>(stack: QuernConfig, work: (kernel: Kernel) => Promise<T>, options: OpenOptions = {}): Promise<T> {
  const kernel = await kernelOf(stack);
  await kernel.open({ background: false, ...options }).catch(sayAccounts);
  try {
    return await work(kernel);
  } finally {
    await kernel.close();
  }
}
