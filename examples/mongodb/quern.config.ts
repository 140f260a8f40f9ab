// The chat, stored in MongoDB.

import { defineConfig } from "quern";
import { mongodbStorage } from "quern/adapters/mongodb";
import chat from "../chat/quern.config.ts";

export default defineConfig({
  ...chat,
  storage: mongodbStorage({ uri: process.env.MONGODB_URI ?? "mongodb://127.0.0.1:27017/?replicaSet=rs0", database: "chat" }),
});
