// The server of these files. Everything that differs between machines comes from the environment.

import { defineConfig } from "quern";
import { standardStack } from "quern/adapters/cli";
import { mongodbStorage } from "quern/adapters/mongodb";

const { MONGODB_URI } = process.env;

export default defineConfig({
  ...standardStack({ data: process.env.QUERN_DATA ?? "./data" }),
  ...(MONGODB_URI ? { storage: mongodbStorage({ uri: MONGODB_URI, database: "quern" }) } : {}),
});
