// The configuration that quern init writes: the standard stack, one part per line.

export const firstConfig = `// The stack of this project: a storage, transports, and plugins in the order in which they run.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { authPlugin } from "quern/plugins/auth";
import { constraintsPlugin } from "quern/plugins/constraints";
import { customPlugin } from "quern/plugins/custom";
import { defaultPlugin } from "quern/plugins/default";
import { dqlPlugin } from "quern/plugins/dql";
import { embeddingPlugin } from "quern/plugins/embedding";
import { federationPlugin } from "quern/plugins/federation";
import { filesPlugin } from "quern/plugins/files";
import { generatePlugin } from "quern/plugins/generate";
import { identityPlugin } from "quern/plugins/identity";
import { lambdaPlugin } from "quern/plugins/lambda";
import { nestedPlugin } from "quern/plugins/nested";
import { groupingPlugin } from "quern/plugins/grouping";
import { pagingPlugin } from "quern/plugins/paging";
import { searchPlugin } from "quern/plugins/search";
import { secretPlugin } from "quern/plugins/secret";
import { storageNamesPlugin } from "quern/plugins/storage-names";
import { subscriptionPlugin } from "quern/plugins/subscription";
import { transactionPlugin } from "quern/plugins/transaction";
import { validationPlugin } from "quern/plugins/validation";
import { wasPlugin } from "quern/plugins/was";

export default defineConfig({
  storage: leveldbStorage({ path: "./data" }),
  transports: [wsTransport()],
  plugins: [
    identityPlugin(), // @id, @hasInverse
    federationPlugin(), // @key and what else Apollo Federation has
    secretPlugin(), // @secret
    storageNamesPlugin(), // @storage
    wasPlugin(), // @was
    defaultPlugin(), // @default
    validationPlugin(), // @range, @length, @pattern, @format
    constraintsPlugin(), // @version, @increment, @unique, @onDelete
    transactionPlugin(), // mutation @transaction
    nestedPlugin(), // @nested
    filesPlugin(), // @file: files lie in ./files, or where QUERN_FILES_AT says
    generatePlugin(), // @generate
    subscriptionPlugin(), // @withSubscription
    searchPlugin(), // @search
    pagingPlugin(), // @paged
    groupingPlugin(), // @groupBy
    embeddingPlugin(), // @embedding
    authPlugin(), // @auth
    customPlugin(), // @custom(http:), @remote
    lambdaPlugin(), // @lambda, @lambdaOnMutate, @webhook; your functions: { functions: new URL("./functions.mts", import.meta.url) }
    dqlPlugin({ rules: true }), // @custom(dql:), /query; DQL obeys @auth
  ],
  // Deploys need this token. If it is not set, quern start creates one. Do not write the token into this file.
  admin: { token: process.env.QUERN_ADMIN_TOKEN },
});
`;
