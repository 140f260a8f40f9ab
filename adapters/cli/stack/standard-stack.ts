// The stack without a configuration file: LevelDB in a folder, the `ws` transport, and every plugin of the package.

import { leveldbStorage } from "../../level/index.ts";
import { defineConfig, type QuernConfig } from "../../server/index.ts";
import { wsTransport } from "../../ws/index.ts";
import { type StandardPluginsOptions, standardPlugins } from "./standard-plugins.ts";

export { type StandardPluginsOptions, standardPlugins };

/** Options of `standardStack`. */
export interface StandardStackOptions extends StandardPluginsOptions {
  /** Folder of the store; created if it does not exist. Default: `./data`. */
  readonly data?: string;
}

/** A configuration with LevelDB, the `ws` transport and every directive plugin. Spread it to change a part. */
export function standardStack({
  data = "./data",
  lambdaUrl,
  files = process.env.QUERN_FILES_AT || `${data}.files`,
}: StandardStackOptions = {}): QuernConfig {
  return defineConfig({ storage: leveldbStorage({ path: data }), transports: [wsTransport()], plugins: standardPlugins({ lambdaUrl, files }) });
}
