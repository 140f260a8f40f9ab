// A server with users whose queries all run in a read worker. Each thread loads this file, too.

import { standardPlugins, standardStack } from "quern/adapters/cli";
import { readWorkers } from "quern/adapters/read-workers";
import { accountsPlugin } from "quern/plugins/accounts";

const users = accountsPlugin({
  secret: "a secret of thirty-two characters",
  emailAndPassword: { requireEmailVerification: false },
  rateLimit: { enabled: false },
});

export default {
  ...standardStack(),
  plugins: [users, ...standardPlugins()],
  readWorkers: readWorkers({ count: 1, config: import.meta.url, fromCost: 0 }),
};
