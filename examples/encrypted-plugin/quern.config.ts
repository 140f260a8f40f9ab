// A server with `@encrypted`.

import { createHash } from "node:crypto";
import { defineConfig } from "quern";
import { leveldbStorage } from "quern/adapters/level";
import { wsTransport } from "quern/adapters/ws";
import { identityPlugin } from "quern/plugins/identity";
import { encryptedPlugin } from "./encrypted-plugin.ts";

// In production: 32 random bytes from a secret store, as in `openssl rand -base64 32`.
const current = { id: "2026-11", bytes: createHash("sha256").update("a secret for development").digest() };

export default defineConfig({
  storage: leveldbStorage({ path: "./data/encrypted" }),
  transports: [wsTransport()],
  plugins: [identityPlugin(), encryptedPlugin({ current })],
  schema: `
    type Patient {
      name: String! @id
      diagnosis: String @encrypted
    }
  `,
});
