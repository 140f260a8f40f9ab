// Every plugin of the package. Commands that only read a schema import no storage and no transport.

import type { DirectivePlugin } from "../../../core/plugin.ts";
import { authPlugin } from "../../../plugins/auth/index.ts";
import { constraintsPlugin } from "../../../plugins/constraints/index.ts";
import { customPlugin } from "../../../plugins/custom/index.ts";
import { defaultPlugin } from "../../../plugins/default/index.ts";
import { dqlPlugin } from "../../../plugins/dql/index.ts";
import { embeddingPlugin } from "../../../plugins/embedding/index.ts";
import { federationPlugin } from "../../../plugins/federation/index.ts";
import { filesAt, filesPlugin } from "../../../plugins/files/index.ts";
import { generatePlugin } from "../../../plugins/generate/index.ts";
import { groupingPlugin } from "../../../plugins/grouping/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { nestedPlugin } from "../../../plugins/nested/index.ts";
import { pagingPlugin } from "../../../plugins/paging/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { secretPlugin } from "../../../plugins/secret/index.ts";
import { storageNamesPlugin } from "../../../plugins/storage-names/index.ts";
import { subscriptionPlugin } from "../../../plugins/subscription/index.ts";
import { transactionPlugin } from "../../../plugins/transaction/index.ts";
import { validationPlugin } from "../../../plugins/validation/index.ts";
import { wasPlugin } from "../../../plugins/was/index.ts";

/** Options of `standardPlugins`. */
export interface StandardPluginsOptions {
  /** The address of a lambda server. Default: the environment variable `QUERN_LAMBDA_URL`. */
  readonly lambdaUrl?: string | undefined;
  /** Where the files of `@file` are: a folder, which is made at the first upload, or `s3://bucket/prefix`. Default: `QUERN_FILES_AT`, otherwise `./files`. */
  readonly files?: string | undefined;
}

/** Every directive plugin of the package, in a valid order. */
export function standardPlugins({
  lambdaUrl,
  files = process.env.QUERN_FILES_AT || "./files",
}: StandardPluginsOptions = {}): readonly DirectivePlugin[] {
  return [
    identityPlugin(),
    federationPlugin(),
    secretPlugin(),
    storageNamesPlugin(),
    wasPlugin(),
    defaultPlugin(),
    validationPlugin(),
    constraintsPlugin(),
    transactionPlugin(),
    nestedPlugin(),
    filesPlugin({ store: filesAt(files) }),
    generatePlugin(),
    subscriptionPlugin(),
    searchPlugin(),
    pagingPlugin(),
    groupingPlugin(),
    embeddingPlugin(),
    authPlugin(),
    customPlugin(),
    lambdaPlugin({ url: lambdaUrl }),
    dqlPlugin(),
  ];
}
