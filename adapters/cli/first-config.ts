// The configuration that quern init writes: the standard stack, each part on a line of its own.

export const firstConfig = `// The stack of this project: one storage, transports, and plugins in the order in which they work.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { authPlugin } from "quern/plugins/auth";
import { defaultPlugin } from "quern/plugins/default";
import { generatePlugin } from "quern/plugins/generate";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { secretPlugin } from "quern/plugins/secret";
import { storageNamesPlugin } from "quern/plugins/storage-names";
import { subscriptionPlugin } from "quern/plugins/subscription";
import { wasPlugin } from "quern/plugins/was";

export default defineConfig({
  storage: leveldbStorage({ path: "./data" }),
  transports: [wsTransport()],
  plugins: [
    identityPlugin(), // @id, @hasInverse
    secretPlugin(), // @secret
    storageNamesPlugin(), // @storage, @dgraph
    wasPlugin(), // @was
    defaultPlugin(), // @default
    generatePlugin(), // @generate
    subscriptionPlugin(), // @withSubscription
    searchPlugin(), // @search
    authPlugin(), // @auth
  ],
  // Deploys need this token; without one, quern start makes it. Keep it out of this file.
  admin: { token: process.env.QUERN_ADMIN_TOKEN },
});
`;
