// A server of the MongoDB bench: `node mongodb-server.ts <uri>` prints where it listens.

import { serve } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { packageStack } from "./mongodb-packages.ts";

const server = await serve({ ...packageStack(process.argv[2] ?? ""), transports: [wsTransport()], port: 0 });
console.log(server.urls[0]);
process.on("SIGTERM", () => void server.close(0).then(() => process.exit(0)));
