// Which stack a command works on: the one of the configuration file, or the standard one.

import { createKernel, type DirectivePlugin, type Kernel, type OpenOptions, QuernError } from "../../core/index.ts";
import { leveldbStorage } from "../level/index.ts";
import { kernelConfigOf, type QuernConfig } from "../server/index.ts";
import { loadConfig } from "./load-config.ts";
import { assertStoreFolder } from "./read-file.ts";
import { standardPlugins, standardStack } from "./standard-stack.ts";

export interface StackChoice {
  /** A configuration file; by default the `quern.config.*` of the working folder, if there is one. */
  readonly config?: string;
  /** Folder of a LevelDB store, which then takes the place of the configured storage. */
  readonly data?: string;
}

export async function chosenStack({ config, data }: StackChoice): Promise<QuernConfig> {
  const loaded = await loadConfig(config, process.cwd());
  if (loaded === undefined) return standardStack(data === undefined ? {} : { data });
  return data === undefined ? loaded : { ...loaded, storage: leveldbStorage({ path: data }) };
}

/**
 * The stack around a store that is there already, which has to be named: none is looked at, let alone mended, by default.
 *
 * @param ways what may name it, for the message
 */
export async function namedStack(choice: StackChoice, ways = storeWays): Promise<QuernConfig> {
  const { data, config } = choice;
  if (data === undefined && config === undefined) throw new QuernError("CONFIG_INVALID", ways);
  if (data !== undefined) await assertStoreFolder(data);
  return await chosenStack(choice);
}

const storeWays = "Say which store: --data <dir> for a LevelDB store, or --config <file> for the storage configured there.";

/** The directive plugins of that stack, for commands that open no store. */
export async function chosenPlugins({ config }: StackChoice): Promise<readonly DirectivePlugin[]> {
  const loaded = await loadConfig(config, process.cwd());
  return loaded === undefined ? standardPlugins() : (loaded.plugins ?? []);
}

/** Runs `work` on the open kernel of a stack that nobody else serves, and closes it whatever happens. */
export async function withKernel<T>(stack: QuernConfig, work: (kernel: Kernel) => Promise<T>, options: OpenOptions = {}): Promise<T> {
  const kernel = createKernel(kernelConfigOf(stack));
  await kernel.open(options);
  try {
    return await work(kernel);
  } finally {
    await kernel.close();
  }
}
