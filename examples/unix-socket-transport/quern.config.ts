// A stack that other processes of this machine reach through a socket file.

import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { identityPlugin } from "quern/plugins/identity";
import { searchPlugin } from "quern/plugins/search";
import { unixSocketTransport } from "./unix-socket-transport.ts";

export default defineConfig({
  storage: leveldbStorage({ path: "./data/unix-socket" }),
  transports: [unixSocketTransport({ path: "./quern.sock" })],
  plugins: [identityPlugin(), searchPlugin()],
  schema: `
    type Note {
      id: ID!
      text: String! @search(by: [term])
    }
  `,
});
