// The stack without a configuration file: LevelDB in a folder, the `ws` transport, and every plugin of the package.

import type { DirectivePlugin } from "../../core/index.ts";
import { authPlugin } from "../../plugins/auth/index.ts";
import { constraintsPlugin } from "../../plugins/constraints/index.ts";
import { customPlugin } from "../../plugins/custom/index.ts";
import { defaultPlugin } from "../../plugins/default/index.ts";
import { dqlPlugin } from "../../plugins/dql/index.ts";
import { embeddingPlugin } from "../../plugins/embedding/index.ts";
import { federationPlugin } from "../../plugins/federation/index.ts";
import { generatePlugin } from "../../plugins/generate/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../plugins/lambda/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { secretPlugin } from "../../plugins/secret/index.ts";
import { storageNamesPlugin } from "../../plugins/storage-names/index.ts";
import { subscriptionPlugin } from "../../plugins/subscription/index.ts";
import { validationPlugin } from "../../plugins/validation/index.ts";
import { wasPlugin } from "../../plugins/was/index.ts";
import { leveldbStorage } from "../level/index.ts";
import { defineConfig, type QuernConfig } from "../server/index.ts";
import { wsTransport } from "../ws/index.ts";

/** Options of `standardStack`. */
export interface StandardStackOptions {
  /** Folder of the store; created if it does not exist. Default: `./data`. */
  readonly data?: string;
  /** The address of a lambda server. Default: the environment variable `QUERN_LAMBDA_URL`. */
  readonly lambdaUrl?: string | undefined;
}

/** A configuration with LevelDB, the `ws` transport and every directive plugin. Spread it to change a part. */
export function standardStack({ data = "./data", lambdaUrl }: StandardStackOptions = {}): QuernConfig {
  return defineConfig({ storage: leveldbStorage({ path: data }), transports: [wsTransport()], plugins: standardPlugins({ lambdaUrl }) });
}

/** Every directive plugin of the package, in a valid order. */
export function standardPlugins({ lambdaUrl }: Pick<StandardStackOptions, "lambdaUrl"> = {}): readonly DirectivePlugin[] {
  return [
    identityPlugin(),
    federationPlugin(),
    secretPlugin(),
    storageNamesPlugin(),
    wasPlugin(),
    defaultPlugin(),
    validationPlugin(),
    constraintsPlugin(),
    generatePlugin(),
    subscriptionPlugin(),
    searchPlugin(),
    embeddingPlugin(),
    authPlugin(),
    customPlugin(),
    lambdaPlugin({ url: lambdaUrl }),
    dqlPlugin(),
  ];
}
