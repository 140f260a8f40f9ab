// The stack that runs without a configuration file: LevelDB in a folder, HTTP by `ws`, every plugin of the package.

import type { DirectivePlugin } from "../../core/index.ts";
import { authPlugin } from "../../plugins/auth/index.ts";
import { defaultPlugin } from "../../plugins/default/index.ts";
import { generatePlugin } from "../../plugins/generate/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { secretPlugin } from "../../plugins/secret/index.ts";
import { storageNamesPlugin } from "../../plugins/storage-names/index.ts";
import { subscriptionPlugin } from "../../plugins/subscription/index.ts";
import { wasPlugin } from "../../plugins/was/index.ts";
import { leveldbStorage } from "../level/index.ts";
import { defineConfig, type QuernConfig } from "../server/index.ts";
import { wsTransport } from "../ws/index.ts";

export interface StandardStackOptions {
  /** Folder of the store; made when it is not there. Default: `./data`. */
  readonly data?: string;
}

export function standardStack({ data = "./data" }: StandardStackOptions = {}): QuernConfig {
  return defineConfig({ storage: leveldbStorage({ path: data }), transports: [wsTransport()], plugins: standardPlugins() });
}

/** Every directive plugin of the package, in an order that suits them. */
export function standardPlugins(): readonly DirectivePlugin[] {
  return [
    identityPlugin(),
    secretPlugin(),
    storageNamesPlugin(),
    wasPlugin(),
    defaultPlugin(),
    generatePlugin(),
    subscriptionPlugin(),
    searchPlugin(),
    authPlugin(),
  ];
}
