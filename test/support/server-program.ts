// Serves boats from a folder until it is killed: `server-program.ts FOLDER TRANSPORT PORT BOAT`, with one boat more. Prints its URL.

import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createServerKernel } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";

const [path = "", transport, port, boat = ""] = process.argv.slice(2);
const kernel = createServerKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins(), log: { level: "silent" } });
await kernel.open();
await kernel.deploy("type Boat @withSubscription { name: String! @id }");
await kernel.execute({ query: "mutation ($name: String!) { addBoat(input: [{name: $name}]) { numUids } }", variables: { name: boat } });
const listening = await (transport === "yoga" ? yogaTransport() : wsTransport()).listen(kernel, { host: "127.0.0.1", port: Number(port) });
console.log(listening.url);
