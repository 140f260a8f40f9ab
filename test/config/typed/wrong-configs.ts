// Configurations that TypeScript must refuse. Never run: the compiler is the test.

import { leveldbStorage } from "../../../adapters/level/index.ts";
import { defineConfig } from "../../../adapters/server/index.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";

const storage = leveldbStorage({ path: "./data" });
const transports = [wsTransport()];

// Valid configurations: required options only, all options, and secrets that may be unset.
defineConfig({ storage, transports });
defineConfig({
  storage,
  transports,
  plugins: [searchPlugin()],
  limits: { maxDepth: 10 },
  admin: { token: process.env.QUERN_ADMIN_TOKEN, allow: ["10.0.0.0/8"] },
  schema: "type Boat { name: String }",
  host: "0.0.0.0",
  port: 8080,
  debug: true,
});

// @ts-expect-error The storage is missing.
defineConfig({ transports });

// @ts-expect-error The transports are missing.
defineConfig({ storage });

// @ts-expect-error There is no such option.
defineConfig({ storage, transports, prot: 8080 });

// @ts-expect-error A port is a number.
defineConfig({ storage, transports, port: "8080" });

// @ts-expect-error A transport is no storage.
defineConfig({ storage: wsTransport(), transports });

// @ts-expect-error A factory must be called.
defineConfig({ storage, transports, plugins: [searchPlugin] });

// @ts-expect-error There is no such limit.
defineConfig({ storage, transports, limits: { maxDeth: 10 } });

// @ts-expect-error There is no such option of admin.
defineConfig({ storage, transports, admin: { tokn: "x" } });

// @ts-expect-error An API key has a kind.
defineConfig({ storage, transports, apiKeys: [{ name: "shop", hash: "" }] });

// @ts-expect-error The path is missing.
leveldbStorage({});

// @ts-expect-error There is no such option of the storage.
leveldbStorage({ path: "./data", cacheMB: 10 });
